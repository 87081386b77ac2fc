//===- EventLives.cpp ------------------------------------------------------===//
#include "EventLives.h"

#include "Recorder.h"
#include "Runtime.h"
#include "Threads.h"

namespace inmem::rt {

namespace {

/// Number of the allocation that made the block of a granule; 0: none. Leaves
/// lie as those of the live index, which says who owns a granule.
uint64_t *birthOf(void *P, bool Make) {
  constinit static uint64_t **Leaves = nullptr;
  auto Address = reinterpret_cast<uintptr_t>(P);
  size_t Span = Address >> kSpanShift;
  if (Span >= kLeaves)
    return nullptr;
  auto Published = [](auto *Where, size_t Bytes) {
    auto *Known = __atomic_load_n(Where, __ATOMIC_ACQUIRE);
    if (Known || !Bytes)
      return Known;
    auto *Fresh = static_cast<decltype(Known)>(mapPages(Bytes));
    if (Fresh && !__atomic_compare_exchange_n(Where, &Known, Fresh, false,
                                              __ATOMIC_RELEASE,
                                              __ATOMIC_ACQUIRE)) {
      unmapPages(Fresh, Bytes); // another thread was first
      return Known;
    }
    return Fresh;
  };
  uint64_t **All = Published(&Leaves, Make ? kLeaves * sizeof(uint64_t *) : 0);
  uint64_t *Leaf =
      All ? Published(&All[Span], Make ? kLeafEntries * sizeof(uint64_t) : 0)
          : nullptr;
  return Leaf ? Leaf + ((Address >> kGranuleShift) & (kLeafEntries - 1))
              : nullptr;
}

} // namespace

void countBirth(void *P) {
  uint64_t Nth =
      __atomic_add_fetch(&Process.EventAllocations, 1, __ATOMIC_RELAXED);
  // Blocks of the side table may share a granule: they are not followed.
  Entry *E = entryOf(reinterpret_cast<uintptr_t>(P));
  if (!E || !__atomic_load_n(E, __ATOMIC_RELAXED))
    return;
  if (uint64_t *Birth = birthOf(P, /*Make=*/true))
    __atomic_store_n(Birth, Nth, __ATOMIC_RELAXED);
}

void countEnd(ThreadState &T, void *P, const Block &B) {
  uint64_t *Where = birthOf(P, /*Make=*/false);
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
