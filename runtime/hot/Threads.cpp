//===- Threads.cpp --------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hot/Threads.h"

#include "hot/CallerPaths.h"
#include "hot/Cells.h"
#include "hot/CommandQueue.h"
#include "hot/EventLifetimes.h"
#include "hot/EventStream.h"
#include "hot/FastPath.h"
#include "hot/Recorder.h"
#include "hot/Sampling.h"
#include "platform/Mappings.h"
#include "platform/Process.h"
#include "registry/RecordBuilder.h"
#include "stacks/Frees.h"
#include "stacks/Stacks.h"
#include "state/Features.h"
#include "threads/ThreadLifetimes.h"

#include <limits.h>
#include <pthread.h>
#include <string.h>

namespace inmem::rt {

using namespace trace;

namespace {

constinit ThreadRows *FreeThreadRows = nullptr;
constinit uint32_t RowsCount = 0;
constinit pthread_key_t EndKey = 0;
constinit bool HasEndKey = false;
void writeThread(ThreadRows &B) {
  ThreadRecord R = {};
  RecordBuilder Builder(RecordKind::Thread, sizeof R);
  R.Index = B.Index;
  R.Tid = B.Tid;
  R.StartTicks = hardwareTicks();
  R.Name = Builder.string(B.Name);
  Builder.append(&R, sizeof R);
}

using ThreadName = char[sizeof ThreadRows::Name];

void setName(ThreadRows &B, const ThreadName &Name) {
  if (memcmp(Name, B.Name, sizeof Name) == 0)
    return;
  memcpy(B.Name, Name, sizeof Name);
  renameThreadLifetime(B);
  writeThread(B);
}

/// Updates the name of the calling thread's rows.
void updateOwnName(ThreadRows &B) {
  ThreadName Name = {};
  readThreadName(Name);
  setName(B, Name);
}

/// Updates the name of another thread's rows.
void updateOthersName(ThreadRows &B) {
  ThreadName Name = {};
  if (readThreadName(B.Tid, Name)) // else the thread has ended
    setName(B, Name);
}

/// Marks rows as free for another thread.
void releaseRows(ThreadRows &B) {
  endThreadLifetime(B);
  B.State = nullptr; // if a jump leaves here, the rows are never reused
  orderStores();
  B.NextFree = FreeThreadRows;
  orderStores();
  FreeThreadRows = &B;
  if (B.Counted) {
    B.Counted = false;
    Process.ThreadCount = Process.ThreadCount - 1;
  }
}

ThreadRows *takeBlockForThread() {
  // A jump interrupted this thread while it took rows: reuse them.
  for (ThreadRows *B = AllThreadRows; B; B = B->Next)
    if (B->State == &Thread)
      return B;
  if (FreeThreadRows && (RowsCount >= kKeptApart || ThreadEnded)) {
    ThreadRows *B = FreeThreadRows;
    FreeThreadRows = B->NextFree;
    orderStores();
    B->State = &Thread;
    return B;
  }
  auto *B = static_cast<ThreadRows *>(mapPages(sizeof(ThreadRows)));
  if (!B)
    return nullptr;
  B->Index = ++RowsCount;
  B->Epoch = Process.Epoch;
  // The seed is the thread's number, not the time or an address. A program that
  // does the same again has the same blocks sampled (docs/options.md).
  B->Random = B->Index * 0x9E3779B97F4A7C15u;
  B->Callers = static_cast<KnownCaller *>(
      mapPagesWipedByFork(kKnownCallers * sizeof(KnownCaller)));
  B->ProcessCell = addCell(*B, kProcessCell);
  if (!B->Callers || !B->ProcessCell)
    return nullptr;
  B->State = &Thread;
  B->Next = AllThreadRows;
  orderStores();
  AllThreadRows = B;
  return B;
}

/// glibc calls key destructors in up to PTHREAD_DESTRUCTOR_ITERATIONS rounds,
/// after destructors of thread_local objects. Waits for the last round, so that
/// events of other keys' destructors are still counted.
void onThreadEnd(void *Value) {
#ifdef INMEM_THREAD_SANITIZER
  constexpr uintptr_t kRounds =
      1; // TSan forgets the thread after the first round
#else
  constexpr uintptr_t kRounds = PTHREAD_DESTRUCTOR_ITERATIONS;
#endif
  auto Round = reinterpret_cast<uintptr_t>(Value);
  isInside(Thread); // releases a guard left by a jump
  Guarded G(Thread);
  if (Round < kRounds) {
    pthread_setspecific(EndKey, reinterpret_cast<void *>(Round + 1));
    return;
  }
  if (isUnnoticedChild())
    ensureStarted();
  leaveFormerRows(Thread);
  kFeatures.ThreadEnds();
  {
    Locked L(Process.Mutex);
    ThreadEnded = true;
    detachThread(Thread);
  }
  kFeatures.ThreadEnded();
}

} // namespace

void watchThreadEnds() {
  if (!HasEndKey && pthread_key_create(&EndKey, onThreadEnd) == 0)
    HasEndKey = true;
}

bool attachThread(ThreadState &T) {
  kFeatures.LeaveUnsealed();
  // First, so that onThreadEnd runs even after a jump out of the code below.
  if (!ThreadEnded && HasEndKey)
    pthread_setspecific(EndKey, reinterpret_cast<void *>(1));
  ThreadRows *B = takeBlockForThread();
  if (!B)
    return false;
  uint32_t Tid = threadId();
  for (ThreadRows *Other = AllThreadRows; Other; Other = Other->Next)
    if (Other->State && Other->Tid == Tid && Other->State != &T)
      releaseRows(*Other); // its thread has ended and its id is ours now
  B->ThreadPointer = threadPointer();
  if (B->Tid != Tid) {
    B->Tid = Tid;
    readThreadName(B->Name);
    writeThread(*B);
  }
  beginThreadLifetime(*B);
  T.Rows = B;
  T.Fast.Slots = B->Slots;
  T.Process = B->ProcessCell;
  T.Callers.Known = B->Callers;
  T.Fast.GeneralClock = Process.Config.Clock.Index == Options::ClockEvents ||
                        !Process.HardwareClock || T.Fast.HasNoClock;
  beginSampling(T);
  if ((Process.Config.Stacks || notesFrees()) && !B->Stacks)
    B->Stacks = makeStackState();
  if (!B->Paths)
    B->Paths =
        static_cast<CallerPaths *>(mapPagesWipedByFork(sizeof(CallerPaths)));
  if (B->Paths) // do not reuse another thread's stack bounds
    B->Paths->Unwind.Low = B->Paths->Unwind.High = 0;
  if (!B->Frees)
    B->Frees = makeFreeState();
  if (B->Stacks) { // left by another thread
    B->Stacks->Unwind.Low = B->Stacks->Unwind.High = 0;
    forgetCachedStacks(*B->Stacks);
  }
  if (!B->Counted) {
    Process.ThreadCount = Process.ThreadCount + 1;
    orderStores();
    B->Counted = true;
  }
  kFeatures.ThreadAttached(*B);
  updateFastPath(T);
  listenForCommands(B->ProcessCell);
  updateClock();
  return true;
}

void goOnAfterJump(ThreadState &T) {
  T.Excess.Budget = nullptr;
  if (T.Fast.UsesSideTable)
    T.Fast.UsesSideTable = false;
  if (!T.Rows)
    return;
  mendEvents(T.Rows->Events);
  if (T.Rows->Stacks)
    T.Rows->Stacks->Unwind.Low = T.Rows->Stacks->Unwind.High = 0;
  closeFastPath(T);
}

void detachThread(ThreadState &T) {
  ThreadRows *B = T.Rows;
  if (!B)
    return;
  kFeatures.ThreadDetaches(T);
  flushCells(T);
  tellEvents(T);
  if (!MayBeSandboxed)
    updateOwnName(*B);
  closeFastPath(T);
  T.Fast.Slots = nullptr;
  T.Process = nullptr;
  T.Callers.Known = nullptr;
  T.Fast.LastAllocated = nullptr;
  T.Rows = nullptr;
  releaseRows(*B);
}

void releaseDeadThreads() {
  for (ThreadRows *B = AllThreadRows; B; B = B->Next)
    if (B->State && B->State != &Thread && !threadExists(Process.Pid, B->Tid))
      releaseRows(*B);
}

void updateNames() {
  for (ThreadRows *B = AllThreadRows; B; B = B->Next) {
    if (B == Thread.Rows)
      updateOwnName(*B);
    else if (B->State)
      updateOthersName(*B);
  }
}

void threadWasNamed(const void *ThreadPointer, const char *Name) {
  ThreadName Text = {};
  strncpy(Text, Name, sizeof Text - 1);
  for (ThreadRows *B = AllThreadRows; B; B = B->Next)
    if (B->State && B->ThreadPointer == ThreadPointer)
      setName(*B, Text);
}

void leaveSlotsToChild(ThreadState &T, bool Leave) {
  ThreadRows *B = T.Rows;
  if (!B || (!Leave && B->LeavesSlots == 0)) // rows created after the fork
    return;
  B->LeavesSlots += Leave ? 1 : UINT32_MAX;
  if (B->LeavesSlots != (Leave ? 1 : 0))
    return;
  wipePagesByFork(B->Slots, B->SlotCapacity * sizeof(Slot), !Leave);
  wipePagesByFork(B->Callers, kKnownCallers * sizeof(KnownCaller), !Leave);
  if (B->Stacks)
    wipePagesByFork(B->Stacks, sizeof(StackState), !Leave);
  if (B->Paths)
    leavePathsToChild(*B->Paths, Leave);
}

/// No thread has rows.
static void forgetRows() {
  forgetThreadLifetimes();
  AllThreadRows = FreeThreadRows = nullptr;
  RowsCount = 0;
  Process.ThreadCount = 0;
}

/// Clears the thread's state, except for the state of calls that are running.
static void forgetState(ThreadState &T) {
  const ThreadState Before = T;
  T = {};
  T.Inside.Guard = Before.Inside.Guard;
  T.Fast.HasNoClock = Before.Fast.HasNoClock;
  T.Forks = Before.Forks;
  T.Suspension = Before.Suspension;
  T.Operators.Running = Before.Operators.Running;
  T.Operators.Deleted = Before.Operators.Deleted;
}

static void unmapRows(ThreadRows &B) {
  if (B.Paths)
    releasePaths(*B.Paths);
  if (B.Slots)
    unmapPages(B.Slots, B.SlotCapacity * sizeof(Slot));
  if (B.Callers)
    unmapPages(B.Callers, kKnownCallers * sizeof(KnownCaller));
  if (B.Stacks)
    unmapPages(B.Stacks, sizeof(StackState));
  B.CellOfType.release();
  B.InterruptingRows.release();
  unmapPages(&B, sizeof B);
}

void leaveFormerRows(ThreadState &T) {
  ThreadRows *B = T.Rows;
  if (INMEM_LIKELY(!B || B->Epoch == Process.Epoch))
    return;
  const bool InUse =
      T.Inside.CountingAt; // an event that a signal handler interrupted
  forgetState(T);
  if (!InUse)
    unmapRows(*B);
}

void abandonThreads() {
  ++Process.Epoch;
  releaseDeadThreads();
  for (ThreadRows *B = AllThreadRows; B; B = B->Next)
    if (B->State)
      closeFastPath(*B->State);
  forgetRows();
  leaveFormerRows(Thread);
}

void forgetThreads(ThreadState &T) {
  forgetState(T); // the child finishes what the thread was doing at the fork
  forgetRows();
}

bool attach(ThreadState &T, bool &Borrows) {
  leaveFormerRows(T);
  if (!T.Rows) {
    Locked L(Process.Mutex);
    Borrows = threadHasEnded();
    return attachThread(T);
  }
  if (T.Fast.AllocateSlots == 0 || T.Fast.FreeEnd == 0)
    updateFastPath(T); // recording may be on again
  return true;
}

void detachBorrowed(ThreadState &T) {
  if (!T.Rows)
    return;
  Locked L(Process.Mutex);
  detachThread(T);
}

} // namespace inmem::rt
