//===- FastPath.cpp - Who may take the fast path --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hot/FastPath.h"

#include "hot/CallerPaths.h"
#include "hot/Threads.h"
#include "state/Runtime.h"

namespace inmem::rt {

void updateFastPath(ThreadState &T) {
  noteClosing(T);
  const ThreadRows *B = T.Rows;
  Conditions C = {};
  C.Counts =
      B && !threadHasEnded() && !KeptSealed && Process.State != InitState::Off;
  C.Recording = Process.Recording;
  C.WritesEvents = Process.WritesEvents;
  C.HasStacks = B && B->Stacks;
  C.Watched = watchesAllocations(T);
  C.WatchesFrees = watchesFrees(T);
  C.InCopy = T.Copy.Frame != nullptr;
  C.Suspended = T.Suspension.Depth > 0;
  C.HasNoClock = T.Fast.HasNoClock;
  const FastPath F = decideFastPath(C, Process.Config);
  T.Fast.FreeEnd =
      F.Frees ? static_cast<uint32_t>(B->SlotCapacity * sizeof(Slot)) : 0;
  T.Fast.NotesFrees = F.NotesFrees;
  T.Fast.Lifetimes = F.Lifetimes;
  T.Fast.AllocateSlots = F.Allocations ? B->SlotCapacity : 0;
  T.Callers.Quick = F.Allocations ? T.Callers.Known : nullptr;
  T.Callers.QuickPaths = F.Allocations && B->Paths ? B->Paths : &ClosedPaths;
  T.Fast.Mode = F.Mode;
  // Pairs with the fence in IndexReturn.cpp.
  orderStores();
  if (Process.ReturningIndex || hasOldPaths(T))
    closeAllocations(T);
  // Pairs with the fence in closeAllFastPaths (Scopes.cpp).
  orderStores();
  if (!C.Watched && watchesAllocations(T))
    closeFastPath(T);
}

void setHasNoClock(ThreadState &T, bool HasNone) {
  if (T.Fast.HasNoClock == HasNone ||
      Process.Config.Clock.Index == Options::ClockEvents)
    return;
  T.Fast.HasNoClock = HasNone;
  if (HasNone)
    ReadsClockFirst = false; // all threads' frees look up the block first
  T.Fast.GeneralClock = HasNone || !Process.HardwareClock;
  if (T.Rows)
    updateFastPath(T);
}

void updateAllFastPaths() {
  releaseDeadThreads();
  for (ThreadRows *B = AllThreadRows; B; B = B->Next)
    if (B->State)
      closeFastPath(*B->State);
}

} // namespace inmem::rt
