//===- FastPath.cpp - Who may take the fast path -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Frees.h"
#include "Recorder.h"
#include "Runtime.h"
#include "Scopes.h"
#include "Threads.h"

namespace inmem::rt {

void updateFastPath(ThreadState &T) {
  ThreadBlock *B = T.Block;
  bool Any =
      B && !threadHasEnded() && !KeptSealed && Process.Stage != Phase::Off;
  bool Watched = watchesAllocations(T);
  bool AllocationsFast = Any && Process.Recording && !Process.General &&
                         !T.CopyFrame && !Watched && !T.Suspended;
  bool FreesPlain = Any && !Process.WritesEvents &&
                    Process.Config.SampleBytes == 0 && !watchesFrees(T);
  T.FreeSlots = FreesPlain && !notesFrees() ? B->SlotCapacity : 0;
  T.NotesFrees = FreesPlain && notesFrees();
  bool Plain = Any && Process.Recording && !Process.Filtered && !T.CopyFrame &&
               !Watched && !T.Suspended &&
               Process.Config.Clock.Index != Options::ClockEvents;
  bool Stacks = Process.Config.Stacks > 0;
  bool Stacked = Stacks || notesFrees();
  T.AllocateSlots = AllocationsFast ? B->SlotCapacity : 0;
  const Options &O = Process.Config;
  bool Skips = Any && Process.Recording &&
               (O.SampleBytes > 0) != (O.Every > 1) && !O.MinSize &&
               !T.CopyFrame && !Watched && !T.Suspended &&
               O.Clock.Index != Options::ClockEvents;
  T.Allocates = Plain && Process.WritesEvents && !Stacked ? Way::Traced
                : Plain && !Process.WritesEvents && Stacked && B->Stacks
                    ? Way::Stacked
                : Skips ? O.Every > 1 ? Way::SkipsBlocks : Way::SkipsBytes
                        : Way::Unusual;
  // Recorder.cpp, considerReturningIndex, has the other half of this.
  __asm__ volatile("" ::: "memory");
  if (Process.ReturningIndex) {
    T.AllocateSlots = 0;
    T.Allocates = Way::Unusual;
  }
  // Of few blocks all are timed.
  const bool Thin =
      O.Clock.Index == Options::ClockAuto && O.SampleBytes == 0 && O.Every <= 1;
  T.Lives = T.HasNoClock                            ? Times::None
            : O.Clock.Index == Options::ClockEvents ? Times::InEvents
            : Thin                                  ? Times::Thinned
                                                    : Times::All;
  // Scopes.cpp, closeAllFastPaths, has the other half of this.
  __asm__ volatile("" ::: "memory");
  if (!Watched && watchesAllocations(T)) {
    T.AllocateSlots = T.FreeSlots = 0;
    T.Allocates = Way::Unusual;
  }
}

void setHasNoClock(ThreadState &T, bool HasNone) {
  if (T.HasNoClock == HasNone ||
      Process.Config.Clock.Index == Options::ClockEvents)
    return;
  T.HasNoClock = HasNone;
  if (HasNone)
    ReadsClockFirst = false; // frees of all threads look for the block first
  T.EventsClock = HasNone || !Process.HardwareClock;
  if (T.Block)
    updateFastPath(T);
}

void updateAllFastPaths() {
  releaseDeadThreads();
  for (ThreadBlock *B = ThreadBlocks; B; B = B->Next)
    if (B->State) {
      // The owner's next event takes the slow path, which decides anew.
      B->State->AllocateSlots = B->State->FreeSlots = 0;
      B->State->NotesFrees = false;
      B->State->Allocates = Way::Unusual;
    }
}

bool attach(ThreadState &T, bool &Borrows) {
  if (!T.Block) {
    Locked L(Process.Mutex);
    Borrows = threadHasEnded();
    return attachThread(T);
  }
  if (T.AllocateSlots == 0 || T.FreeSlots == 0)
    updateFastPath(T); // recording may have been switched on again
  return true;
}

void giveBack(ThreadState &T) {
  if (!T.Block)
    return;
  Locked L(Process.Mutex);
  detachThread(T);
}

} // namespace inmem::rt
