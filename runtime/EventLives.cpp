//===- EventLives.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EventLives.h"

#include "GranuleTable.h"
#include "Recorder.h"
#include "Runtime.h"
#include "Threads.h"

namespace inmem::rt {

namespace {

/// Number of the allocation that made the block; 0: none.
constinit GranuleTable<uint64_t> Births;

} // namespace

void countBirth(void *P) {
  uint64_t Nth =
      __atomic_add_fetch(&Process.EventAllocations, 1, __ATOMIC_RELAXED);
  if (!ownsGranule(P))
    return;
  if (uint64_t *Birth = Births.at(P, /*Make=*/true))
    __atomic_store_n(Birth, Nth, __ATOMIC_RELAXED);
}

void countEnd(ThreadState &T, void *P, const Block &B) {
  uint64_t *Where = Births.at(P, /*Make=*/false);
  uint64_t Birth = Where ? __atomic_exchange_n(Where, 0, __ATOMIC_RELAXED) : 0;
  if (!Birth)
    return;
  uint64_t Now = __atomic_load_n(&Process.EventAllocations, __ATOMIC_RELAXED);
  trace::Row *R = rowOfAllocationLives(T, B.site());
  if (!R)
    return;
  R->Frees += 1;
  R->FreedBytes += B.Size;
  enterLife(R, Now - Birth, 1, B.Size);
}

} // namespace inmem::rt
