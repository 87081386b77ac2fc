//===- SmallStacks.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profiler/SmallStacks.h"

#include "platform/Errors.h"
#include "platform/Lock.h"
#include "platform/Tasks.h"
#include "profiler/ListedThreads.h"
#include "state/ThreadState.h"
#include "tables/PagedArray.h"

namespace inmem::rt {

namespace {

constinit Lock StacksLock = {};
constinit PagedArray<uint32_t> SmallOnes = {}; ///< ids of threads
constinit Relaxed<uint32_t> SmallCount = {};
constinit bool AllAreSmall = false; ///< no memory to record one: assume all
constinit SampledThread *Timed = nullptr;
constinit __thread bool IsSmall __attribute__((tls_model("initial-exec"))) =
    false;

/// Our handler may interrupt one of the program's on that stack: two signal
/// frames of the kernel, plus the stack of both handlers.
size_t neededBytes() {
  constexpr size_t kHandlersBytes = 4096;
  return 2 * signalFrameBytes() + kHandlersBytes;
}

/// Needs the lock, as do all functions below.
bool isListed(uint32_t Tid) {
  for (uint32_t I = 0; I < SmallOnes.Count; ++I)
    if (SmallOnes[I] == Tid)
      return true;
  return AllAreSmall;
}

void setListed(uint32_t Tid, bool Small) {
  uint32_t Kept = 0;
  for (uint32_t I = 0; I < SmallOnes.Count; ++I)
    if (SmallOnes[I] != Tid)
      SmallOnes[Kept++] = SmallOnes[I];
  SmallOnes.Count = Kept;
  if (uint32_t *Slot = Small ? SmallOnes.add() : nullptr)
    *Slot = Tid;
  else if (Small)
    AllAreSmall = true;
  IsSmall = Small;
  SmallCount = SmallOnes.Count + AllAreSmall;
}

void unlinkTimer(SampledThread &T) {
  (T.TimedBefore ? T.TimedBefore->TimedAfter : Timed) = T.TimedAfter;
  if (T.TimedAfter)
    T.TimedAfter->TimedBefore = T.TimedBefore;
  T.TimedBefore = T.TimedAfter = nullptr;
  T.HasTimer = false;
}

/// The calling thread gets no more sample signals. Call this with all signals
/// blocked.
void stopSampling() {
  const uint32_t Tid = threadId();
  setListed(Tid, true);
  for (SampledThread *T = Timed, *Next; T; T = Next) {
    Next = T->TimedAfter;
    if (T->Tid != Tid)
      continue;
    stopThreadTimer(T->Timer);
    unlinkTimer(*T);
    T->LacksTimer = true;
  }
  const int Signal = Sampled.Signal;
  if (Signal == 0)
    return;
  // Takes sample signals that were already on their way.
  siginfo_t Info;
  while (takePendingSignal(Signal, Info))
    isQuestionTaken(Info);
}

} // namespace

bool isSmallStack(AddressRange Stack) {
  const uintptr_t Bytes = Stack.End - Stack.Start;
  return Bytes != 0 && Bytes < neededBytes();
}

bool hasSmallStack(uint32_t Tid) {
  return SmallCount != 0 && StacksHeld().isSmall(Tid);
}

void noteAlternateStack(AddressRange Stack) {
  const bool Small = isSmallStack(Stack);
  if (Small == IsSmall && !Small)
    return;
  SignalsBlocked Meanwhile;
  Guarded G(Thread);
  Locked L(StacksLock);
  if (Small)
    stopSampling();
  else
    setListed(threadId(), false);
}

StacksHeld::StacksHeld() { StacksLock.acquire(); }
StacksHeld::~StacksHeld() { StacksLock.release(); }

bool StacksHeld::isSmall(uint32_t Tid) const {
  return SmallCount != 0 && isListed(Tid);
}

void StacksHeld::addTimer(SampledThread &T) const {
  T.TimedBefore = nullptr;
  T.TimedAfter = Timed;
  if (Timed)
    Timed->TimedBefore = &T;
  Timed = &T;
  T.HasTimer = true;
}

void StacksHeld::removeTimer(SampledThread &T) const {
  if (T.HasTimer)
    unlinkTimer(T);
}

void forgetSmallStacks() {
  StacksLock.reset();
  Timed = nullptr; // a child has no timers
  SmallOnes.Count = 0;
  SmallCount = AllAreSmall;
  if (IsSmall)
    setListed(threadId(), true);
}

} // namespace inmem::rt
