// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// thinning.cpp - what the default clock would have made of a run whose every
// life was timed: from a trace of mode=trace:clock=exact, one line for each
// site of the distance between all lives of 1 us and more and those that the
// default would have timed, weighted as it does.
//
//   thinning TRACE    SITE LIVES SAMPLE BUCKETS DISTANCE CHANCE, separated by
//                     tabs; at the end "unmatched" and the lives left out
//
// LIVES are those of 1 us and more, SAMPLE how many of them the default would
// have timed, DISTANCE half the sum over buckets of the differences of shares,
// CHANCE that of a perfect random sample of as many. Both histograms are of the
// same readings, so that nothing but the choice is between them.
//
// A trace's events name no blocks. An end says when its block was born, and
// births of one site and size at one tick (55 ns) are as good as one another.
#include "runtime/hot/Thinning.h"
#include "trace/read/Reader.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <tuple>
#include <vector>

using namespace inmem;

namespace {

/// A birth or, with the lifetime that ended, an end.
struct Moment {
  uint64_t Born; ///< ticks
  uint64_t Size;
  uint32_t Site;
  uint32_t Weight; ///< births: 0 if the default would not time it
  uint64_t Life;   ///< ends: the lifetime in ticks

  auto key() const { return std::tie(Born, Site, Size); }
};

struct Moments {
  std::vector<Moment> Births, Ends;

  void readThread(const trace::Trace &T, uint32_t Thread) {
    std::map<uint32_t, Row> Rows;
    trace::EventStream Events(T, Thread);
    size_t First = Births.size();
    for (trace::Event E; Events.next(E);) {
      if (E.Kind == trace::EventKind::Free) {
        if (E.Timed)
          Ends.push_back({E.Ticks - E.Lifetime, E.Size, E.Site, 0, E.Lifetime});
        continue;
      }
      Row &R = Rows[E.Site];
      ++R.Allocations;
      if (E.Kind == trace::EventKind::Allocate)
        Births.push_back({E.Ticks, E.Size, E.Site, R.weight(E.Site), 0});
      else
        retag(First, E);
    }
  }

  /// The state that the runtime would keep for a row of the thread.
  struct Row {
    uint64_t Allocations = 0;
    int32_t Untimed = 0;
    uint32_t Weyl = 0;

    uint32_t weight(uint32_t Site) {
      if (--Untimed >= 0)
        return 0;
      switch (rt::choose(Untimed, Weyl, Allocations, Site)) {
      case rt::Choice::Untimed:
        break;
      case rt::Choice::Timed:
        return 1;
      case rt::Choice::Thinned:
        return rt::kThinBy;
      }
      return 0;
    }
  };

  /// True if it is the newest block of the thread, or one of the newest.
  void retag(size_t First, const trace::Event &E) {
    constexpr size_t kFar = 64;
    size_t Stop = Births.size() - First > kFar ? Births.size() - kFar : First;
    for (size_t I = Births.size(); I > Stop; --I) {
      Moment &B = Births[I - 1];
      if (B.Site == E.From && B.Size == E.Size) {
        B.Site = E.Site;
        return;
      }
    }
  }
};

struct Site {
  uint64_t Lives = 0, Sample = 0, Weighted = 0;
  std::map<unsigned, uint64_t> Exact, Thinned; ///< by bucket

  void add(uint64_t Life, uint32_t Weight) {
    unsigned Bucket = trace::octaveOf(Life) * trace::kBucketsPerOctave +
                      trace::bucketInOctave(Life);
    ++Lives;
    ++Exact[Bucket];
    if (Weight == 0)
      return;
    ++Sample;
    Weighted += Weight;
    Thinned[Bucket] += Weight;
  }
  double distance() const {
    if (Weighted == 0)
      return 1;
    double Sum = 0;
    for (auto [Bucket, Count] : Exact) {
      auto Found = Thinned.find(Bucket);
      double Share =
          Found == Thinned.end() ? 0 : ratio(Found->second, Weighted);
      Sum += std::abs(ratio(Count, Lives) - Share);
    }
    return Sum / 2;
  }
  /// Half the sum of the mean absolute errors of binomial counts.
  double chance() const {
    double Sum = 0;
    for (auto [Bucket, Count] : Exact) {
      double P = ratio(Count, Lives);
      Sum += std::sqrt(2 * P * (1 - P) / (M_PI * static_cast<double>(Sample)));
    }
    return Sample == Lives ? 0 : Sample ? Sum / 2 : 1;
  }
  static double ratio(uint64_t A, uint64_t B) {
    return static_cast<double>(A) / static_cast<double>(B);
  }
};

} // namespace

int main(int Argc, char **Argv) {
  if (Argc != 2)
    return 2;
  auto Read = trace::readTraces(std::string(Argv[1]));
  if (!Read || Read->size() != 1) {
    std::fprintf(stderr, "thinning: %s: expected a trace of one process\n",
                 Argv[1]);
    return 3;
  }
  const trace::Trace &T = Read->front();
  Moments All;
  for (const auto &[Index, Thread] : T.Threads)
    All.readThread(T, Index);
  auto Earlier = [](const Moment &A, const Moment &B) {
    return A.key() < B.key();
  };
  std::ranges::sort(All.Births, Earlier);
  std::ranges::sort(All.Ends, Earlier);
  double NsPerTick = std::ldexp(1e9, static_cast<int>(T.Header.TickShift)) /
                     static_cast<double>(T.Header.TicksPerSecond);
  auto Least = static_cast<uint64_t>(std::ceil(1000 / NsPerTick));
  std::map<uint32_t, Site> Sites;
  uint64_t Unmatched = 0;
  auto Birth = All.Births.begin();
  for (const Moment &End : All.Ends) {
    while (Birth != All.Births.end() && Birth->key() < End.key())
      ++Birth;
    if (Birth == All.Births.end() || Birth->key() != End.key()) {
      Unmatched += End.Life >= Least;
      continue;
    }
    if (End.Life >= Least)
      Sites[End.Site].add(End.Life, Birth->Weight);
    ++Birth;
  }
  for (const auto &[Id, S] : Sites)
    std::printf("%u\t%llu\t%llu\t%zu\t%.6f\t%.6f\n", Id,
                static_cast<unsigned long long>(S.Lives),
                static_cast<unsigned long long>(S.Sample), S.Exact.size(),
                S.distance(), S.chance());
  std::printf("unmatched\t%llu\n", static_cast<unsigned long long>(Unmatched));
  return 0;
}
