//===- Orders.cpp ---------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "replay/Orders.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <unordered_map>

namespace inmem::tools {

using replayer::StepKind;
using replayer::Turn;
using replayer::TurnKind;

namespace {

/// Times of a thread's steps: as recorded, or at varying speed.
class Clock {
public:
  explicit Clock(uint64_t Begin) : Begin(Begin) {}
  /// Divides the recording into \p kParts parts, each at half to twice its
  /// speed.
  Clock(uint64_t Begin, uint64_t End, std::mt19937_64 &Random)
      : Begin(Begin), Part(std::max<uint64_t>((End - Begin) / kParts, 1)) {
    double Sum = 0;
    for (size_t I = 0; I <= kParts; ++I) {
      Starts.push_back(Sum);
      // Do not use std distributions: results differ between libraries.
      const double Fraction = static_cast<double>(Random() >> 11) * 0x1p-53;
      Slowness.push_back(std::exp2(Fraction * 2 - 1));
      Sum += Slowness.back() * static_cast<double>(Part);
    }
  }

  uint64_t at(uint64_t Ticks) const {
    if (Starts.empty() || Ticks < Begin)
      return Ticks;
    const uint64_t I = std::min<uint64_t>((Ticks - Begin) / Part, kParts);
    const auto Rest = static_cast<double>(Ticks - Begin - I * Part);
    return Begin + static_cast<uint64_t>(Starts[I] + Rest * Slowness[I]);
  }

private:
  static constexpr uint64_t kParts = 32;
  uint64_t Begin, Part = 1;
  std::vector<double> Starts, Slowness;
};

enum class Policy {
  ByTime,  ///< the thread with the earliest next step
  Serial,  ///< one thread until it waits; what it frees of threads that come
           ///< later, they free themselves
  Together ///< a few steps of each thread in turn
};

class Scheduler {
public:
  Scheduler(const Script &S, Policy How, std::vector<Clock> Clocks)
      : S(S), How(How), Clocks(std::move(Clocks)), Is(S.Threads.size()),
        IsBorn(S.Blocks) {
    uint64_t First = 0;
    for (size_t I = 0; I < Is.size(); ++I) {
      Is[I].First = First;
      First += S.Threads[I].Steps.size();
      const auto &Main = S.Threads[0].Ticks;
      Is[I].BeginsAfter = static_cast<size_t>(
          std::ranges::upper_bound(Main, S.Threads[I].Began) - Main.begin());
    }
    Is[0].HasBegun = true;
    // Steps this close might as well have happened in the other order.
    Window = S.LastTicks / 50000;
  }

  std::vector<Turn> run() {
    for (;;) {
      endThreads();
      beginThreads();
      const auto Next = choose();
      if (!Next) {
        if (!skip())
          return std::move(Turns);
        continue;
      }
      advance(*Next);
    }
  }

private:
  struct State {
    size_t Next = 0;        ///< index of the next step
    uint64_t First = 0;     ///< index of its first step among all
    size_t BeginsAfter = 0; ///< main-thread steps before it begins
    bool HasBegun = false, HasEnded = false;
  };

  bool isDone(size_t I) const {
    return Is[I].Next == S.Threads[I].Steps.size();
  }
  uint64_t timeOf(size_t I) const {
    return Clocks[I].at(S.Threads[I].Ticks[Is[I].Next]);
  }

  /// The main thread may wait for threads that ended before its next step.
  bool mainWaits() const {
    const uint64_t Now = S.Threads[0].Ticks[Is[0].Next];
    for (size_t I = 1; I < Is.size(); ++I)
      if (!Is[I].HasEnded && S.Threads[I].Ended < Now)
        return true;
    return false;
  }

  bool canRun(size_t I) const {
    if (!Is[I].HasBegun || isDone(I))
      return false;
    const replayer::Step &Next = S.Threads[I].Steps[Is[I].Next];
    const bool NeedsBlock =
        Next.Kind == StepKind::Reallocate ||
        (Next.Kind == StepKind::Free && How != Policy::Serial);
    return (!NeedsBlock || IsBorn[Next.Block]) && (I != 0 || !mainWaits());
  }

  void addRun(size_t I, uint64_t First, uint64_t Count) {
    if (Count)
      Turns.push_back({static_cast<uint32_t>(I), TurnKind::Run, First, Count});
  }

  /// Adds the other threads' steps that this one takes over: frees of its own
  /// blocks.
  void takeOver(size_t I) {
    for (const uint64_t Step : Taken)
      addRun(I, Step, 1);
    Taken.clear();
  }

  void beginThreads() {
    for (size_t I = 1; I < Is.size(); ++I)
      if (!Is[I].HasBegun && (Is[0].Next >= Is[I].BeginsAfter || isDone(0))) {
        Is[I].HasBegun = true;
        Turns.push_back({static_cast<uint32_t>(I), TurnKind::Begin, 0, 0});
      }
  }

  /// The recorded time of the earliest remaining step.
  uint64_t earliest() const {
    uint64_t Least = UINT64_MAX - 1;
    for (size_t I = 0; I < Is.size(); ++I)
      if (!isDone(I))
        Least = std::min(Least, S.Threads[I].Ticks[Is[I].Next]);
    return Least;
  }

  /// Threads without further steps keep their arena until they end.
  void endThreads() {
    const uint64_t Now = How == Policy::ByTime ? earliest() : UINT64_MAX - 1;
    for (size_t I = 1; I < Is.size(); ++I)
      if (Is[I].HasBegun && !Is[I].HasEnded && isDone(I) &&
          S.Threads[I].Ended <= Now) {
        Is[I].HasEnded = true;
        Turns.push_back({static_cast<uint32_t>(I), TurnKind::End, 0, 0});
      }
  }

  std::optional<size_t> choose() {
    std::optional<size_t> Found;
    Until = UINT64_MAX;
    if (How != Policy::ByTime) {
      const size_t From = How == Policy::Serial ? Last : Last + 1;
      for (size_t I = 0; I < Is.size() && !Found; ++I)
        if (const size_t At = (From + I) % Is.size(); canRun(At))
          Found = At;
      return Found;
    }
    uint64_t Least = UINT64_MAX;
    for (size_t I = 0; I < Is.size(); ++I) {
      if (!canRun(I))
        continue;
      const uint64_t Time = timeOf(I);
      if (!Found || Time < Least) {
        Until = Found ? Least : UINT64_MAX;
        Least = Time;
        Found = I;
      } else {
        Until = std::min(Until, Time);
      }
    }
    Until = Until > UINT64_MAX - Window ? UINT64_MAX : Until + Window;
    return Found;
  }

  void advance(size_t I) {
    constexpr size_t kAtOnce = 64;
    State &At = Is[I];
    size_t From = At.Next;
    do {
      const replayer::Step &Done = S.Threads[I].Steps[At.Next++];
      if (Done.Kind == StepKind::Free && !IsBorn[Done.Block]) {
        addRun(I, At.First + From, At.Next - 1 - From);
        Unborn[Done.Block] = At.First + At.Next - 1;
        From = At.Next;
      } else if (Done.Kind != StepKind::Free) {
        IsBorn[Done.Block] = true;
        if (const auto Free = Unborn.find(Done.Block); Free != Unborn.end())
          Taken.push_back(Free->second);
      }
      if (!Taken.empty() && At.Next - From >= kAtOnce) {
        addRun(I, At.First + From, At.Next - From);
        From = At.Next;
        takeOver(I);
      }
    } while (canRun(I) && !(I == 0 && beginsThread()) &&
             (How == Policy::Serial ||
              (How == Policy::Together ? At.Next - From < kAtOnce
                                       : timeOf(I) <= Until)));
    Last = I;
    addRun(I, At.First + From, At.Next - From);
    takeOver(I);
  }

  bool beginsThread() const {
    for (size_t I = 1; I < Is.size(); ++I)
      if (!Is[I].HasBegun && Is[0].Next >= Is[I].BeginsAfter)
        return true;
    return false;
  }

  /// No thread can run: the pairs contradict each other, because clocks differ
  /// by a tick. Lets the earliest thread continue. \returns false at the end
  bool skip() {
    std::optional<size_t> Found;
    for (size_t I = 0; I < Is.size(); ++I)
      if (Is[I].HasBegun && !isDone(I) &&
          (!Found || S.Threads[I].Ticks[Is[I].Next] <
                         S.Threads[*Found].Ticks[Is[*Found].Next]))
        Found = I;
    if (Found)
      advance(*Found);
    return Found.has_value();
  }

  const Script &S;
  const Policy How;
  std::vector<Clock> Clocks;
  std::vector<State> Is;
  std::vector<bool> IsBorn;
  /// Frees whose block is not yet allocated, by block.
  std::unordered_map<uint32_t, uint64_t> Unborn;
  std::vector<uint64_t> Taken; ///< frees from Unborn whose blocks now exist
  std::vector<Turn> Turns;
  size_t Last = 0;
  uint64_t Window = 0, Until = 0;
};

} // namespace

std::vector<Order> makeOrders(const Script &S, size_t Count) {
  std::vector<Clock> Plain;
  Plain.reserve(S.Threads.size());
  for (const Script::Thread &Of : S.Threads)
    Plain.emplace_back(Of.Began);
  std::vector<Order> Out;
  Out.push_back({"recorded", Scheduler(S, Policy::ByTime, Plain).run()});
  const auto HasSteps = [](const Script::Thread &Of) {
    return !Of.Steps.empty();
  };
  if (std::ranges::count_if(S.Threads, HasSteps) < 2)
    return Out;
  if (Count > 1)
    Out.push_back({"serial", Scheduler(S, Policy::Serial, Plain).run()});
  if (Count > 2)
    Out.push_back({"together", Scheduler(S, Policy::Together, Plain).run()});
  for (size_t I = 3; I < Count; ++I) {
    std::mt19937_64 Random(I);
    std::vector<Clock> Warped;
    Warped.reserve(S.Threads.size());
    for (const Script::Thread &Of : S.Threads)
      Warped.emplace_back(Of.Began, std::min(Of.Ended, S.LastTicks), Random);
    Out.push_back({"speeds " + std::to_string(I - 2),
                   Scheduler(S, Policy::ByTime, std::move(Warped)).run()});
  }
  return Out;
}

} // namespace inmem::tools
