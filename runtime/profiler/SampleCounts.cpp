//===- SampleCounts.cpp - Sums of samples ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profiler/SampleCounts.h"

#include "hot/Recorder.h"
#include "platform/Image.h"
#include "registry/RecordBuilder.h"
#include "registry/SiteRegistry.h"
#include "stacks/Stacks.h"
#include "state/Runtime.h"
#include "tables/Hash.h"
#include "tables/Numbers.h"
#include "tables/PagedArray.h"
#include "threads/ThreadLifetimes.h"
#include "trace/format/FeatureRecords.h"

#include <string.h>

namespace inmem::rt {

using namespace trace;

namespace {

/// A walked stack, for readers while the profile runs.
struct KnownStack {
  uint32_t Id; ///< trace id; 0: the trace was full
  unsigned Depth;
  const uintptr_t *Frames;
};
struct KnownCell {
  ProfileCell *Cell;
  uint32_t Stack; ///< number of a KnownStack; 0: no stack
};
struct KnownWait {
  int32_t Call;
  const char *Target;
};

constexpr uint32_t kMostWaits = 4096;

constinit StackState *Stacks = nullptr;
constinit uint32_t Generation = 0;
constinit Numbers StackOf; ///< hash of frames -> KnownStack
constinit Numbers CellOf;  ///< stack, thread, state -> KnownCell
constinit Numbers WaitOf;  ///< call and target -> WaitRecord.Id
// Changes need the mutex, because other threads read these.
constinit PagedArray<KnownStack> KnownStacks = {};
constinit PagedArray<KnownCell> Cells = {};
constinit PagedArray<KnownWait> Waits = {};
constinit ExtentHeader *Extent = nullptr;
constinit uint16_t Session = 0; ///< number of the last ProfileRecord
constinit PagedArray<ProfileSettings> Settings = {}; ///< by session, from 0

/// The number of a KnownStack, from 1; 0 without room.
uint32_t stackOf(const StackWalk &W) {
  if (Generation != codeGeneration()) {
    StackOf.clear(); // other code may be loaded there
    Generation = codeGeneration();
  }
  const uint64_t Key = W.Hash ? W.Hash : 1;
  if (const uint32_t Known = StackOf.find(Key))
    return Known;
  const CodeHeld Held;
  if (!Held)
    return 0;
  Stacks->Walked = W;
  const uint32_t Id = stackOfWalk(*Stacks);
  // Drop the start-up frames, which later walks leave out.
  const StackWalk &Own = Stacks->Walked;
  Locked L(Process.Mutex);
  auto *Frames =
      static_cast<uintptr_t *>(arenaAllocate(Own.Count * sizeof(uintptr_t)));
  KnownStack *S = Frames ? KnownStacks.add() : nullptr;
  if (!S)
    return 0;
  memcpy(Frames, Own.Frames, Own.Count * sizeof(uintptr_t));
  *S = {Id, Own.Count, Frames};
  StackOf.insert(Key, KnownStacks.Count);
  return KnownStacks.Count;
}

const ProfileSettings *settingsOf(uint16_t Number) {
  return Number > 0 && Number <= Settings.Count ? &Settings[Number - 1u]
                                                : nullptr;
}

} // namespace

bool mayCountSamples() {
  return Process.State == InitState::Ready && !KeptSealed;
}

uint16_t sessionNumber() { return Session; }

bool beginSession(const ProfileSettings &Chosen) {
  if (!Stacks)
    Stacks = static_cast<StackState *>(mapPages(sizeof(StackState)));
  if (!Stacks)
    return false;
  Locked L(Process.Mutex);
  Process.Config.NamesCode = true;
  ProfileRecord R = {};
  RecordBuilder Builder(RecordKind::Profile, sizeof R);
  R.Clock = Chosen.Clock;
  R.Depth = Chosen.Depth;
  R.IntervalNs = Chosen.IntervalNs;
  R.Include = Builder.string(Process.Config.ProfileInclude.Value);
  R.Exclude = Builder.string(Process.Config.ProfileExclude.Value);
  Builder.append(&R, sizeof R);
  ++Session;
  ProfileSettings *Noted = Settings.add();
  if (Noted)
    *Noted = Chosen;
  return Noted != nullptr;
}

void countSamples(uint32_t Stack, uint32_t Lifetime, uint32_t Wait,
                  uint32_t Flags, uint64_t Times) {
  if (Times == 0)
    return;
  const uint64_t Key =
      mix(uint64_t{Stack} << 32 | Lifetime,
          uint64_t{Wait} << 32 | uint64_t{Session} << 16 | Flags);
  Locked L(Process.Mutex);
  if (!mayCountSamples())
    return;
  uint32_t N = CellOf.find(Key);
  if (!N) {
    auto *C = addElement<ProfileCell>(Extent, ExtentKind::ProfileCells, 0,
                                      4 * kPage, 64 * kPage);
    KnownCell *K = C ? Cells.add() : nullptr;
    if (!K)
      return;
    *K = {C, Stack};
    C->Stack = Stack ? KnownStacks[Stack - 1].Id : 0;
    C->Lifetime = Lifetime;
    C->Wait = Wait;
    C->Flags = static_cast<uint16_t>(Flags);
    C->Session = Session;
    publishElement(Extent);
    N = Cells.Count;
    CellOf.insert(Key, N);
  }
  ProfileCell &C = *Cells[N - 1].Cell;
  __atomic_store_n(&C.Count, C.Count + Times, __ATOMIC_RELAXED);
}

void countAtStart(uint32_t Lifetime, uint64_t Times) {
  if (Times == 0)
    return;
  StackWalk W = {};
  if (Lifetime != 0) {
    Locked L(Process.Mutex);
    W.Frames[0] = W.Hash = livedThread(Lifetime).Start;
  }
  W.Count = W.Frames[0] != 0;
  const uint32_t Stack = W.Count ? stackOf(W) : 0;
  countSamples(Stack, Lifetime, 0, Stack ? 0u : uint32_t{kProfileLost}, Times);
}

uint32_t waitOf(const ThreadStateNow &S) {
  if (S.Running || !S.Known)
    return 0;
  char Target[256] = {};
  if (const CodeHeld Held; Held && Waits.Count < kMostWaits)
    targetOf(S, Target, sizeof Target);
  uint64_t Key = mix(static_cast<uint32_t>(S.Call), 1);
  for (const char *C = Target; *C; ++C)
    Key = mix(Key, static_cast<unsigned char>(*C));
  if (const uint32_t Known = WaitOf.find(Key))
    return Known;
  Locked L(Process.Mutex);
  const char *Copy = copyText(Target);
  KnownWait *W = Copy && mayCountSamples() ? Waits.add() : nullptr;
  if (!W)
    return 0;
  *W = {S.Call, Copy};
  WaitRecord R = {};
  RecordBuilder Builder(RecordKind::Wait, sizeof R);
  R.Id = Waits.Count;
  R.Call = S.Call;
  R.Target = Builder.string(Target);
#if defined(__x86_64__)
  R.Machine = EM_X86_64;
#else
  R.Machine = EM_AARCH64;
#endif
  Builder.append(&R, sizeof R);
  WaitOf.insert(Key, R.Id);
  return R.Id;
}

/// Counts the intervals of CPU time during which the thread blocked the signal,
/// which it reports once it no longer does, except those already counted
/// (Deaf).
static void countToldLate(SampledThread &T, uint64_t Times) {
  const uint64_t Known = Times < T.Deaf ? Times : T.Deaf;
  countSamples(0, T.Lifetime, 0, kProfileBlocked, Times - Known);
  T.Deaf -= Known;
}

/// Counts sample signals that the thread received by sigwait().
static void countTaken(SampledThread &T, const ProfileSettings &How) {
  const uint32_t Times = T.Taken - T.TakenTold;
  if (Times == 0)
    return;
  T.TakenTold += Times;
  if (How.Clock == ProfileClock::Wall) {
    countSamples(0, T.Lifetime, 0, kProfileBlocked, T.IsStale ? 0 : T.Awaited);
    T.IsAwaited = T.HasAnswered = false;
  } else {
    countToldLate(T, Times);
    T.Counted += Times;
  }
}

void takeAnswers(SampledThread &T, const ProfileSettings &How) {
  for (; T.Tail != __atomic_load_n(&T.Head, __ATOMIC_ACQUIRE);
       __atomic_store_n(&T.Tail, T.Tail + 1, __ATOMIC_RELEASE)) {
    const Sample &S = T.Ring[T.Tail % SampledThread::kRing];
    const bool Wall = How.Clock == ProfileClock::Wall;
    T.IsAwaited = false;
    T.HasAnswered = true;
    if (Wall && T.IsStale)
      continue;
    const uint32_t Stack = S.Failed ? 0 : stackOf(S.Stack);
    const uint32_t Flags = Stack ? 0u : uint32_t{kProfileLost};
    if (Wall) {
      T.LastStack = Stack;
      T.LastWait = T.Wait;
      countSamples(Stack, T.Lifetime, T.Wait, Flags, T.Awaited);
      continue;
    }
    // Intervals during which the signal was blocked do not belong to this
    // stack. But a few may be late because a busy machine checks timers only
    // now and then.
    constexpr uint64_t kLongNs = 100000000;
    const uint64_t AtOnce = kLongNs / How.IntervalNs + 2;
    const uint64_t Here = S.Times < AtOnce ? S.Times : AtOnce;
    countSamples(Stack, T.Lifetime, 0, Flags, Here);
    countToldLate(T, S.Times - Here);
    T.Counted += S.Times;
  }
  countTaken(T, How);
  const uint32_t Dropped = T.Dropped;
  countSamples(0, T.Lifetime, 0, kProfileDropped, Dropped - T.DroppedTold);
  T.Counted += Dropped - T.DroppedTold;
  T.DroppedTold = Dropped;
}

void takeLastAnswers(SampledThread &T, const ProfileSettings &How) {
  takeAnswers(T, How);
  if (T.IsAwaited && !T.IsStale)
    countSamples(0, T.Lifetime, 0, kProfileLost, T.Awaited);
  T.IsAwaited = false;
}

void forgetCounts() {
  StackOf.clear();
  CellOf.clear();
  WaitOf.clear();
  KnownStacks.Count = Cells.Count = Waits.Count = Settings.Count = 0;
  Extent = nullptr;
  Session = 0;
}

bool profiled(uint32_t N, Profiled &Out) {
  if (N >= Cells.Count)
    return false;
  const KnownCell &K = Cells[N];
  const ProfileSettings *Its = settingsOf(K.Cell->Session),
                        *Last = settingsOf(Session);
  Out = {K.Cell,
         nullptr,
         0,
         0,
         "",
         Its && Last && Its->Clock == Last->Clock &&
             Its->IntervalNs == Last->IntervalNs};
  if (K.Stack) {
    Out.Frames = KnownStacks[K.Stack - 1].Frames;
    Out.Depth = KnownStacks[K.Stack - 1].Depth;
  }
  if (K.Cell->Wait) {
    Out.Call = Waits[K.Cell->Wait - 1].Call;
    Out.Target = Waits[K.Cell->Wait - 1].Target;
  }
  return true;
}

} // namespace inmem::rt
