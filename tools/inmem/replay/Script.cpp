//===- Script.cpp ---------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "replay/Script.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>
#include <unordered_map>

namespace inmem::tools {

using replayer::Step;
using replayer::StepKind;
using trace::Event;
using trace::EventKind;

namespace {

/// A site and a size.
using Key = std::pair<uint32_t, uint64_t>;

struct Block {
  Key Of;
  uint64_t Birth = 0, Lifetime = 0;
  uint32_t Thread = 0; ///< the allocating thread
  bool IsFreed = false;
};

/// A free whose block is not yet known.
struct OpenFree {
  uint64_t Ticks, Birth;
  Key Of;
  uint32_t Thread;
  size_t Step;
};

class Builder {
public:
  explicit Builder(const trace::Trace &T) : T(T) {}

  trace::Result<Script> build() {
    findThreads();
    for (const auto &[Index, Of] : T.Threads)
      if (const auto Read = readStream(Index); !Read.ok())
        return Read;
    if (Out.Events == 0)
      return noEvents("no events");
    if (Untimed)
      return noEvents("events without times");
    pairFrees();
    joinReallocations();
    classify();
    measurePeak();
    return std::move(Out);
  }

private:
  trace::Status noEvents(const char *Found) const {
    return trace::Status::error(
        T.fileName(), std::string("replay needs the time of each event: "
                                  "expected a trace of "
                                  "INMEM_OPTIONS=mode=trace:clock=exact, "
                                  "found ") +
                          Found);
  }

  uint64_t ticksOf(uint64_t Ns) const {
    const auto Ticks = static_cast<double>(Ns) * 1e-9 *
                       static_cast<double>(T.Header.TicksPerSecond);
    return static_cast<uint64_t>(Ticks) >> T.Header.TickShift;
  }

  /// Several threads may have used one set of rows in turn.
  void findThreads() {
    Out.Threads.emplace_back().Tid = static_cast<uint32_t>(T.Header.Pid);
    for (const trace::LivedThread &L : T.LivedThreads) {
      if (!L.Index || !L.Tid)
        continue;
      uint32_t Number = 0;
      if (L.Tid != T.Header.Pid) {
        Number = static_cast<uint32_t>(Out.Threads.size());
        Script::Thread &New = Out.Threads.emplace_back();
        New.Tid = L.Tid;
        New.Began = ticksOf(L.BeganNs);
        if (L.EndedNs)
          New.Ended = ticksOf(L.EndedNs);
      }
      Users[L.Index].push_back(Number);
    }
    for (auto &[Index, Of] : Users)
      std::ranges::sort(Of, {}, [this](uint32_t Number) {
        return std::pair(Out.Threads[Number].Began, Number);
      });
  }

  /// The thread that used the rows at a time; a new one if it is unknown.
  uint32_t threadAt(uint32_t Index, uint64_t Ticks) {
    std::vector<uint32_t> &Of = Users[Index];
    if (Of.empty()) {
      const auto Known = T.Threads.find(Index);
      const uint32_t Tid = Known == T.Threads.end() ? 0 : Known->second.Tid;
      if (Tid == T.Header.Pid) {
        Of.push_back(0);
      } else {
        Of.push_back(static_cast<uint32_t>(Out.Threads.size()));
        Script::Thread &New = Out.Threads.emplace_back();
        New.Tid = Tid;
        New.Began = Ticks;
      }
    }
    uint32_t Found = Of.front();
    for (const uint32_t Number : Of)
      if (Out.Threads[Number].Began <= Ticks)
        Found = Number;
    return Found;
  }

  trace::Status readStream(uint32_t Index) {
    trace::EventStream Stream(T, Index);
    for (Event E; Stream.next(E);) {
      ++Out.Events;
      if (T.site(E.Site).ofBlocks())
        add(threadAt(Index, E.Ticks), E);
    }
    return Stream.damage() ? Stream.damage()->status(T.fileName())
                           : trace::Status();
  }

  void add(uint32_t Thread, const Event &E) {
    Script::Thread &Of = Out.Threads[Thread];
    const Key Named = {E.Site, E.Size};
    Out.LastTicks = std::max(Out.LastTicks, E.Ticks);
    if (E.Kind == EventKind::Retag) {
      retag(Of, {E.From, E.Size}, Named);
      return;
    }
    if (E.Kind == EventKind::Free) {
      Untimed |= !E.Timed;
      Frees.push_back({E.Ticks, E.Ticks > E.Lifetime ? E.Ticks - E.Lifetime : 0,
                       Named, Thread, Of.Steps.size()});
      Of.Steps.push_back({kNoBlock, StepKind::Free, 0, 0, 0});
    } else {
      const bool IsZeroed = T.site(E.Site).Kind == INMEM_SITE_CALLOC;
      Of.Steps.push_back({static_cast<uint32_t>(Blocks.size()),
                          IsZeroed ? StepKind::Zeroed : StepKind::Allocate, 0,
                          0, E.Size});
      Blocks.push_back({Named, E.Ticks, 0, Thread, false});
    }
    Of.Ticks.push_back(E.Ticks);
  }

  /// Moves a block that the thread has just allocated to another site.
  void retag(const Script::Thread &Of, const Key &From, const Key &To) {
    constexpr size_t kFurthest = 4096;
    const size_t Count = std::min(Of.Steps.size(), kFurthest);
    for (size_t I = 1; I <= Count; ++I) {
      const Step &S = Of.Steps[Of.Steps.size() - I];
      if (S.Kind != StepKind::Free && Blocks[S.Block].Of == From) {
        Blocks[S.Block].Of = To;
        return;
      }
    }
  }

  /// Assigns to each free the block of its site and size with the nearest
  /// birth.
  void pairFrees() {
    std::map<Key, std::multimap<uint64_t, uint32_t>> Open;
    for (uint32_t I = 0; I < Blocks.size(); ++I)
      Open[Blocks[I].Of].emplace(Blocks[I].Birth, I);
    std::ranges::sort(Frees, {}, [](const OpenFree &F) {
      return std::tuple(F.Ticks, F.Thread, F.Step);
    });
    for (const OpenFree &F : Frees) {
      const auto Of = Open.find(F.Of);
      if (Of == Open.end() || Of->second.empty()) {
        ++Out.Unpaired;
        continue;
      }
      auto At = Of->second.lower_bound(F.Birth);
      if (At == Of->second.end() ||
          (At != Of->second.begin() &&
           F.Birth - std::prev(At)->first < At->first - F.Birth))
        --At;
      if (At->first > F.Ticks) { // its allocation is not in the trace
        ++Out.Unpaired;
        continue;
      }
      Block &Freed = Blocks[At->second];
      Freed.IsFreed = true;
      Out.Handed += Freed.Thread != F.Thread;
      Freed.Lifetime = F.Ticks - Freed.Birth;
      Out.Threads[F.Thread].Steps[F.Step].Block = At->second;
      Of->second.erase(At);
    }
    Out.Blocks = static_cast<uint32_t>(Blocks.size());
  }

  /// realloc is recorded as a free followed by an allocation; this joins them.
  /// Drops frees without a block.
  void joinReallocations() {
    for (Script::Thread &Of : Out.Threads) {
      size_t Used = 0;
      for (size_t I = 0; I < Of.Steps.size(); ++I) {
        Step S = Of.Steps[I];
        if (S.Block == kNoBlock)
          continue;
        const uint32_t Old = I > 0 ? Of.Steps[I - 1].Block : kNoBlock;
        const bool IsMoved =
            S.Kind == StepKind::Allocate && I > 0 && Used > 0 &&
            T.site(Blocks[S.Block].Of.first).Kind == INMEM_SITE_REALLOC &&
            Of.Steps[I - 1].Kind == StepKind::Free && Old != kNoBlock &&
            Old != S.Block;
        if (IsMoved) {
          Of.Steps[Used - 1] = {S.Block, StepKind::Reallocate, S.Class, 0,
                                S.Size};
          Moved[S.Block] = Old;
          continue;
        }
        Of.Ticks[Used] = Of.Ticks[I];
        Of.Steps[Used++] = S;
      }
      Of.Steps.resize(Used);
      Of.Ticks.resize(Used);
    }
    renumberMoved();
  }

  /// A block moved by realloc keeps the number of its first block.
  void renumberMoved() {
    const auto First = [this](uint32_t Number) {
      // Thread clocks that differ by a tick must not cause an endless loop.
      size_t Left = Moved.size();
      for (auto At = Moved.find(Number); At != Moved.end() && Left-- > 0;
           At = Moved.find(Number))
        Number = At->second;
      return Number;
    };
    for (Script::Thread &Of : Out.Threads)
      for (Step &S : Of.Steps)
        if (S.Kind == StepKind::Free || S.Kind == StepKind::Reallocate)
          S.Block = First(S.Block);
  }

  /// Classifies sites as `inmem optimize` does: steady if most blocks lived for
  /// a quarter of the run, phase if most lived for a hundredth.
  void classify() {
    constexpr uint64_t kSteady = 4, kPhase = 100;
    struct Counts {
      uint64_t All = 0, Steady = 0, Phase = 0;
    };
    std::unordered_map<uint32_t, Counts> Sites;
    for (const Block &B : Blocks) {
      Counts &C = Sites[B.Of.first];
      ++C.All;
      const bool IsSteady = !B.IsFreed || B.Lifetime * kSteady >= Out.LastTicks;
      C.Steady += IsSteady;
      C.Phase += IsSteady || B.Lifetime * kPhase >= Out.LastTicks;
    }
    for (Script::Thread &Of : Out.Threads)
      for (Step &S : Of.Steps) {
        const Counts &C = Sites[Blocks[S.Block].Of.first];
        S.Class = C.Steady * 2 > C.All ? 2 : C.Phase * 2 > C.All ? 1 : 0;
      }
  }

  void measurePeak() {
    std::vector<std::pair<uint64_t, int64_t>> Changes;
    for (const Block &B : Blocks) {
      const auto Size = static_cast<int64_t>(B.Of.second);
      Changes.emplace_back(B.Birth, Size);
      if (B.IsFreed)
        Changes.emplace_back(B.Birth + B.Lifetime, -Size);
    }
    std::ranges::sort(Changes);
    int64_t Live = 0, Large = 0, Peak = 0;
    for (const auto &[Ticks, Change] : Changes) {
      Live += Change;
      if (std::abs(Change) >= static_cast<int64_t>(Script::kLarge))
        Large += Change;
      if (Live <= Peak)
        continue;
      Peak = Live;
      Out.PeakLiveBytes = static_cast<uint64_t>(Peak);
      Out.LargeAtPeak = static_cast<uint64_t>(std::max<int64_t>(Large, 0));
    }
  }

  static constexpr uint32_t kNoBlock = UINT32_MAX;
  const trace::Trace &T;
  Script Out;
  std::map<uint32_t, std::vector<uint32_t>> Users; ///< threads by row owner
  std::vector<Block> Blocks;
  std::vector<OpenFree> Frees;
  std::unordered_map<uint32_t, uint32_t>
      Moved; ///< block that it was moved from
  bool Untimed = false;
};

} // namespace

trace::Result<Script> readScript(const trace::Trace &T) {
  return Builder(T).build();
}

} // namespace inmem::tools
