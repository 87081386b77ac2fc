//===- Profiler.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profiler/Profiler.h"

#include "platform/Clocks.h"
#include "platform/Message.h"
#include "profiler/ListedThreads.h"
#include "profiler/SampleCounts.h"
#include "profiler/SmallStacks.h"
#include "state/Features.h"
#include "state/Runtime.h"
#include "workers/OwnThread.h"

#include <string.h>

namespace inmem::rt {

using namespace trace;

namespace {

constexpr uint64_t kWallNs = 200000000, kCpuNs = 10000000;
constexpr uint64_t kLeastProfileNs = 100000;
/// Longest wait for the profiler's thread when the process ends.
constexpr uint64_t kPatienceNs = 200000000;

constinit OwnThread Sampler = {};
constinit Lock StartLock =
    {}; ///< held during start and stop; taken before the mutex
constinit bool OptionWasStarted = false, ResumesProfile = false;
constinit bool HasTold = false;   ///< reported that timers are missing
constinit uint32_t Requested = 0; ///< 1: on, 2: off
constinit char RequestText[48] = {};

/// True if the thread can answer neither now nor soon.
bool cannotAnswer(const SampledThread &T) {
  return hasSmallStack(T.Tid) || blocksSignal(T.Tid, Sampled.Signal);
}

/// Clock cpu: handles a thread that has run for some ticks without a sample. If
/// it cannot answer, its intervals are counted; the thread reports their number
/// once it can again. Otherwise it ran only between ticks, as on a busy
/// machine, so that its timer did not expire, and gets a sample signal.
void catchUp(SampledThread &T) {
  uint64_t Ns;
  if (!cpuTimeOf(T.Tid, Ns) || Ns < T.BeganNs)
    return;
  const uint64_t Run = (Ns - T.BeganNs) / Sampled.How.IntervalNs;
  const uint64_t Known = T.Counted + T.Deaf;
  constexpr uint64_t kSomeNs = 20000000;
  if (Run <= Known + kSomeNs / Sampled.How.IntervalNs + 1)
    return;
  const uint64_t Unknown = Run - Known;
  if (T.LacksTimer || cannotAnswer(T)) {
    T.AskedFor = 0;
    countSamples(0, T.Lifetime, 0, kProfileBlocked, Unknown);
    T.Deaf += Unknown;
  } else if (T.HasTimer) {
    askThread(
        T, Sampled.Signal,
        static_cast<uint32_t>(Unknown < UINT32_MAX ? Unknown : UINT32_MAX));
  }
}

/// Sends a thread the sample signal, if its stack may have changed.
void ask(SampledThread &T) {
  takeAnswers(T, Sampled.How);
  if (T.IsAwaited && cannotAnswer(T)) {
    countSamples(0, T.Lifetime, 0, kProfileBlocked,
                 T.IsStale ? 1 : T.Awaited + 1);
    T.IsStale = true;
    T.HasAnswered = false;
    T.Awaited = 0;
    return;
  }
  constexpr uint64_t kLongNs = 100000000;
  if (T.IsAwaited && (T.Awaited * Sampled.How.IntervalNs < kLongNs ||
                      hasPendingSignal(T.Tid, Sampled.Signal))) {
    ++T.Awaited; // it has not run since, or cannot be interrupted
    return;
  }
  if (T.IsAwaited) { // a bare system call took the signal (SignalWaits.cpp)
    countSamples(0, T.Lifetime, 0, kProfileLost, T.IsStale ? 0 : T.Awaited);
    T.IsAwaited = false;
  }
  uint64_t Ns;
  if (!cpuTimeOf(T.Tid, Ns))
    return;
  if (T.HasLast && Ns == T.LastNs) {
    countSamples(T.LastStack, T.Lifetime, T.LastWait,
                 T.LastStack ? 0u : uint32_t{kProfileLost}, 1);
    return;
  }
  const ThreadStateNow S = stateOf(T.Tid);
  T.Wait = waitOf(S);
  T.LastSp = S.Sp;
  T.LastPc = S.Pc;
  T.HasLast = T.IsStale = false;
  if (hasSmallStack(T.Tid) ||
      ((!T.HasAnswered || (T.Wait != 0 && mayTakeSignals(S))) &&
       blocksSignal(T.Tid, Sampled.Signal))) {
    countSamples(0, T.Lifetime, 0, kProfileBlocked, 1);
    return;
  }
  T.Awaited = 1;
  const SendResult Result = askThread(T, Sampled.Signal, 1);
  T.IsAwaited = Result == SendResult::Sent;
  if (Result == SendResult::QueueFull)
    countSamples(0, T.Lifetime, 0, kProfileDropped, 1);
  else if (Result == SendResult::SmallStack)
    countSamples(0, T.Lifetime, 0, kProfileBlocked, 1);
}

/// A thread that waits where it waited before the signal has not run. Threads
/// that mostly run are checked less often, because each check costs as much as
/// a signal.
void settle(SampledThread &T) {
  takeAnswers(T, Sampled.How);
  if (T.IsAwaited || T.HasLast || T.Wait == 0)
    return;
  if (T.LooksSaved > 0) {
    --T.LooksSaved;
    return;
  }
  uint64_t Before, After;
  if (!cpuTimeOf(T.Tid, Before))
    return;
  const ThreadStateNow S = stateOf(T.Tid);
  if (S.Running || S.Sp != T.LastSp || S.Pc != T.LastPc ||
      !cpuTimeOf(T.Tid, After) || After != Before) {
    constexpr uint8_t kMost = 3;
    T.Restless = T.Restless < kMost ? T.Restless + 1 : kMost;
    T.LooksSaved = static_cast<uint8_t>((1u << T.Restless) - 1);
    return;
  }
  T.Restless = 0;
  T.LastNs = After;
  T.HasLast = true;
}

/// An unused signal: the highest free real-time one, which debuggers and
/// libraries use least. 0: none.
int findSignal(int Wanted) {
  const auto IsOurs = [](int Number) {
    return isSignalFree(Number) || isListening(Number);
  };
  if (Wanted)
    return IsOurs(Wanted) ? Wanted : 0;
  if (Sampled.Signal && IsOurs(Sampled.Signal))
    return Sampled.Signal;
  for (int Number = SIGRTMAX - 1; Number > SIGRTMIN; --Number)
    if (isSignalFree(Number))
      return Number;
  return 0;
}

/// The program may have set a handler for any signal. \returns whether another
/// one is free
bool keepListening() {
  if (isListening(Sampled.Signal))
    return true;
  const bool Fixed = Process.Config.ProfileSignalNumber != 0;
  const int Other = Fixed ? 0 : findSignal(0);
  if (!Other || !listenForSamples(Other, Sampled.How.Depth)) {
    Message()
        .text("no more samples: the program uses signal ")
        .number(static_cast<uint64_t>(Sampled.Signal))
        .emit();
    return false;
  }
  changeSignal(Other);
  return true;
}

void sample(void *) {
  Thread.Inside.Guard = kGuardedForever; // never released: our own thread
  constexpr uint64_t kDrainNs = 10000000, kAnswerNs = 2000000;
  constexpr unsigned kListEvery = 10; // drains
  const bool Wall = Sampled.How.Clock == ProfileClock::Wall;
  const uint64_t Each = Wall ? Sampled.How.IntervalNs : kDrainNs;
  unsigned Round = 0;
  for (uint64_t Next = monotonicNs(), Last; !Sampler.isStopped(); ++Round) {
    if (OwnThread::isToPause())
      return;
    if (!keepListening())
      break;
    if (Wall || Round % kListEvery == 0)
      listThreads();
    if (Sampled.LacksTimers && !HasTold) {
      HasTold = true;
      Message()
          .text("no more timers (ulimit -i): some threads are not sampled")
          .emit();
    }
    if (Wall) {
      Sampled.forEach(ask);
      Sampler.sleepUntil(monotonicNs() +
                         (Each / 4 < kAnswerNs ? Each / 4 : kAnswerNs));
      Sampled.forEach(settle);
    } else {
      Sampled.forEach([](SampledThread &T) { takeAnswers(T, Sampled.How); });
      if (Round % kListEvery == 0)
        Sampled.forEach([](SampledThread &T) {
          catchUp(T);
          resumeClock(T);
        });
    }
    kFeatures.ExecuteForIdle();
    Last = monotonicNs();
    Next = Next + Each < Last ? Last : Next + Each;
    Sampler.sleepUntil(Next);
  }
  stopClocks();
  // Threads that got the last signals have answered by now, or never will.
  listThreads();
  Sampled.forEach([](SampledThread &T) { takeLastAnswers(T, Sampled.How); });
  stopListening(Sampled.Signal);
  Sampler.stop(); // it may have ended by itself
}

void cannotStart(const char *Why) {
  Message().text("cannot take samples: ").text(Why).emit();
}

} // namespace

static bool startLocked(const ProfileSettings &Chosen) {
  if (Sampler.exists()) {
    if (!Sampler.isStopped())
      return true;
    Sampler.join(Sampler.run());
  }
  if (Process.State != InitState::Ready)
    return false;
  Sampled.How = Chosen;
  const bool Cpu = Sampled.How.Clock == ProfileClock::Cpu;
  if (Sampled.How.IntervalNs == 0)
    Sampled.How.IntervalNs = Cpu ? kCpuNs : kWallNs;
  if (Sampled.How.IntervalNs < kLeastProfileNs)
    Sampled.How.IntervalNs = kLeastProfileNs;
  if (Sampled.How.Depth == 0 || Sampled.How.Depth > kMaxDepth)
    Sampled.How.Depth = static_cast<unsigned>(Process.Config.ProfileDepth);
  Sampled.Signal = findSignal(Process.Config.ProfileSignalNumber);
  if (!Sampled.Signal)
    return cannotStart("the signal is in use (profile_signal)"), false;
  if (!listenForSamples(Sampled.Signal, Sampled.How.Depth))
    return cannotStart("this C library finds code only under a lock"), false;
  if (!beginSession(Sampled.How))
    return cannotStart("there is no memory"), false;
  Sampled.TakesNew = 1;
  if (Sampler.start("inmem-profile", 256 * 1024, sample, nullptr)) {
    enlistThread();
    return true;
  }
  stopClocks();
  stopListening(Sampled.Signal);
  return cannotStart("no thread can be started"), false;
}

bool startProfile(const ProfileSettings &Chosen) {
  Locked L(StartLock);
  return startLocked(Chosen);
}

void stopProfile() {
  Locked L(StartLock);
  if (!Sampler.exists())
    return;
  Sampler.join(Sampler.stop());
}

static ProfileClock clockOfOption() {
  return Process.Config.ProfileClock.Index == Options::ProfileCpu
             ? ProfileClock::Cpu
             : ProfileClock::Wall;
}

void startProfileOption() {
  const Options &O = Process.Config;
  if (OptionWasStarted || O.ProfileNs == 0 || Process.State != InitState::Ready)
    return;
  OptionWasStarted = true;
  startProfile({clockOfOption(), O.ProfileNs, 0});
}

void requestProfile(bool On, const char *Text) {
  strncpy(RequestText, Text, sizeof RequestText - 1);
  __atomic_store_n(&Requested, On ? 1 : 2, __ATOMIC_RELEASE);
}

void applyProfileRequests() {
  const uint32_t What = __atomic_exchange_n(&Requested, 0, __ATOMIC_ACQUIRE);
  if (What == 2) {
    Sampler.stop(); // the requesting thread does not wait
    return;
  }
  if (What != 1)
    return;
  ProfileSettings O = {clockOfOption(), Process.Config.ProfileNs, 0};
  for (const char *At = RequestText; *At; At += *At == ',') {
    const char *Word = At;
    uint64_t Ns;
    if (strncmp(Word, "cpu", 3) == 0)
      O.Clock = ProfileClock::Cpu;
    else if (strncmp(Word, "wall", 4) == 0)
      O.Clock = ProfileClock::Wall;
    else if (takeDuration(Word, Ns))
      O.IntervalNs = Ns;
    else
      for (O.Depth = 0; *Word >= '0' && *Word <= '9'; ++Word)
        O.Depth = O.Depth * 10 + static_cast<unsigned>(*Word - '0');
    At = strchrnul(At, ',');
  }
  startProfile(O);
}

bool endProfile() {
  if (!Sampler.exists() || Sampler.isCalling())
    return true;
  return Sampler.join(Sampler.stop(), kPatienceNs);
}

void endProfileForExec() {
  if (!Sampler.exists() || Sampler.isStopped())
    return;
  ResumesProfile = true;
  if (!endProfile())
    ignoreSamples(Sampled.Signal); // it keeps running for a moment
}

void goOnWithProfile() {
  if (ResumesProfile)
    startProfile(Sampled.How);
  ResumesProfile = false;
}

void releaseProfileLock() { StartLock.releaseOwn(); }

void forgetProfile() {
  Sampler.forget();
  StartLock.reset();
  forgetSampling();
  forgetCounts();
  forgetListedThreads();
  Requested = 0;
  OptionWasStarted = false;
}

} // namespace inmem::rt
