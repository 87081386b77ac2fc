//===- CommandQueue.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hot/CommandQueue.h"

#include "state/Runtime.h"

namespace inmem::rt {

using namespace trace;

void listenForCommands(Cell *C) {
  if (C->Type != kProcessCell)
    return;
  // The other process enqueues a command, then sets limits; we set a limit,
  // then look for commands. One of the two sees the other.
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (commandsWait()) {
    // The lowered limit overwrites the cell's high-water mark: save it first.
    int64_t Limit = __atomic_load_n(&C->Limit, __ATOMIC_RELAXED);
    if (isCommandLimit(Limit))
      return; // its next event flushes anyway
    FileHeader *H = Process.Trace.header();
    int64_t High = __atomic_load_n(&H->LiveBytes, __ATOMIC_RELAXED) + C->High;
    raiseTo(&H->PeakLiveBytes, High);
    if (__atomic_compare_exchange_n(&C->Limit, &Limit, kCommandLimit, false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      C->High = kCommandLimit;
  }
}

} // namespace inmem::rt
