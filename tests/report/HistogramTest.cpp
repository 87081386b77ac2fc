//===- HistogramTest.cpp - The maths of lifetimes -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/base/Histogram.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

using namespace inmem;
using namespace inmem::report;

namespace {

trace::FileHeader clockOf(uint64_t PerSecond, uint32_t Shift = 0) {
  trace::FileHeader H{};
  H.TicksPerSecond = PerSecond;
  H.TickShift = Shift;
  return H;
}

trace::Buckets
rawOf(std::initializer_list<std::pair<uint64_t, uint64_t>> Lifetimes,
      uint64_t Size = 10) {
  trace::Buckets Raw;
  for (const auto &[Ticks, Count] : Lifetimes) {
    auto &Cell =
        Raw.Cells[trace::octaveOf(Ticks) * 8 + trace::bucketInOctave(Ticks)];
    Cell.Count += Count;
    Cell.Bytes += Count * Size;
  }
  return Raw;
}

TEST(Apportion, GivesEachItsShareAndTheRestToTheLargestRemainders) {
  using V = std::vector<uint64_t>;
  const V Thirds = {1, 1, 1};
  EXPECT_EQ(apportion(Thirds, 10), (V{4, 3, 3}));
  EXPECT_EQ(apportion(Thirds, 11), (V{4, 4, 3})); // one each, not two for one
  EXPECT_EQ(apportion(V{1, 2, 7}, 100), (V{10, 20, 70}));
  // 10 * {50,30,19}/99 = 5.05, 3.03, 1.92
  EXPECT_EQ(apportion(V{50, 30, 19}, 10), (V{5, 3, 2}));
  EXPECT_EQ(apportion(V{0, 5}, 3), (V{0, 3}));
  EXPECT_EQ(apportion(V{0, 0}, 3), (V{0, 0}));
  EXPECT_EQ(apportion(V{}, 3), V{});
  EXPECT_EQ(apportion(V{3, 4}, 0), (V{0, 0}));
}

TEST(Apportion, AlwaysAddsUpEvenForTheLargestNumbers) {
  std::mt19937_64 Random(7);
  for (int Round = 0; Round < 200; ++Round) {
    std::vector<uint64_t> Weights(1 + Random() % 60);
    for (uint64_t &W : Weights)
      W = Random() >> (Random() % 64);
    Weights[0] |= 1;
    const uint64_t Total = Random() >> (Random() % 64);
    const auto Shares = apportion(Weights, Total);
    EXPECT_EQ(std::accumulate(Shares.begin(), Shares.end(), uint64_t{0}),
              Total);
  }
}

TEST(Apportion, SharesDoNotDependOnTheWidthOfTheArithmetic) {
  std::mt19937_64 Random(11);
  for (int Round = 0; Round < 200; ++Round) {
    std::vector<uint64_t> Weights(1 + Random() % 60), Wide;
    for (uint64_t &W : Weights) {
      W = 1 + Random() % 100'000;
      Wide.push_back(W << 40);
    }
    const uint64_t Total = 1'000'000 + Random() % 1'000'000;
    // 64 bits hold the product of the first, not of the second.
    EXPECT_EQ(apportion(Weights, Total), apportion(Wide, Total));
  }
}

TEST(Grid, TurnsTicksIntoNanosecondsWithoutOverflow) {
  EXPECT_EQ(Grid(clockOf(1'000'000'000)).fromTicks(123), 123u);
  EXPECT_EQ(Grid(clockOf(2'000'000'000)).fromTicks(3), 1u);     // rounded down
  EXPECT_EQ(Grid(clockOf(3'000'000'000, 4)).fromTicks(3), 16u); // 48 ticks
  EXPECT_EQ(Grid(clockOf(2'900'000'000, 4)).fromTicks(uint64_t{1} << 42),
            24265084199194u);
  EXPECT_EQ(Grid(clockOf(1, 20)).fromTicks(~uint64_t{0}), ~uint64_t{0});
  trace::FileHeader Events = clockOf(1000, 2);
  Events.Clock = trace::ClockKind::Events;
  EXPECT_EQ(Grid(Events).unit(), Unit::Bytes);
  EXPECT_EQ(Grid(Events).fromTicks(5), 20u);
}

TEST(Histogram, KeepsTheTracesBucketsIfNothingNeedsScaling) {
  const auto H = Histogram::scaled(rawOf({{3, 2}, {17, 5}}),
                                   Grid(clockOf(1'000'000'000)), 7, 70);
  EXPECT_EQ(H.buckets(), (std::vector<Bucket>{{3, 4, 2, 20}, {16, 18, 5, 50}}));
}

TEST(Histogram, ScalesThinnedLivesToAllFrees) {
  // 1024 timed in full and 32 * 31 by weight: 2016 represent 2030 frees.
  const auto H = Histogram::scaled(rawOf({{8, 1024}, {100, 992}}),
                                   Grid(clockOf(1'000'000'000)), 2030, 20301);
  ASSERT_EQ(H.buckets().size(), 2u);
  EXPECT_EQ(H.buckets()[0].Count, 1031u); // 1031.11
  EXPECT_EQ(H.buckets()[1].Count, 999u);  //  998.88
  EXPECT_EQ(H.count(), 2030u);
  EXPECT_EQ(H.bytes(), 20301u);
}

TEST(Histogram, PutsBucketsFinerThanTheUnitTogether) {
  // At 4 GHz ticks 0 to 3 are below one ns.
  const auto H = Histogram::scaled(rawOf({{0, 1}, {1, 2}, {3, 4}, {4, 8}}),
                                   Grid(clockOf(4'000'000'000)), 15, 150);
  ASSERT_EQ(H.buckets().size(), 2u);
  EXPECT_EQ(H.buckets()[0], (Bucket{0, 1, 7, 70}));
  EXPECT_EQ(H.buckets()[1], (Bucket{1, 2, 8, 80}));
}

TEST(Histogram, BucketsAreOrderedDisjointAndNotEmpty) {
  std::mt19937_64 Random(3);
  for (const uint64_t Rate : {1'000'000u, 999'999'937u, 2'893'202'000u}) {
    trace::Buckets Raw;
    for (auto &Cell : Raw.Cells)
      if (Random() % 3 == 0)
        Cell = {Random() % 1000, Random() % 100000};
    Raw.Cells[5] = {1, 1};
    const auto H = Histogram::scaled(Raw, Grid(clockOf(Rate, 4)), 12345, 67890);
    uint64_t Last = 0;
    for (const Bucket &B : H.buckets()) {
      EXPECT_LT(B.From, B.To);
      EXPECT_GE(B.From, Last);
      EXPECT_GT(B.Count, 0u);
      Last = B.To;
    }
    EXPECT_EQ(H.count(), 12345u);
    EXPECT_EQ(H.bytes(), 67890u);
  }
}

TEST(Histogram, NothingStaysNothing) {
  const auto H = Histogram::scaled({}, Grid(clockOf(1'000'000'000)), 10, 100);
  EXPECT_TRUE(H.empty());
  EXPECT_EQ(H.quantile(0.5), 0u);
}

TEST(Histogram, AddsEqualBucketsAndKeepsOthers) {
  Histogram A({{0, 10, 1, 10}, {20, 30, 2, 20}});
  A.add(Histogram({{0, 10, 5, 50}, {10, 20, 1, 1}, {40, 50, 1, 2}}));
  EXPECT_EQ(
      A.buckets(),
      (std::vector<Bucket>{
          {0, 10, 6, 60}, {10, 20, 1, 1}, {20, 30, 2, 20}, {40, 50, 1, 2}}));
}

TEST(Histogram, AddsAnotherClocksBucketsWithoutLosingAny) {
  const auto Raw = rawOf({{3, 7}, {17, 5}, {900, 11}, {123456, 13}, {5000, 1}});
  Histogram A = Histogram::scaled(Raw, Grid(clockOf(1'000'000'000)), 37, 370);
  A.add(Histogram::scaled(Raw, Grid(clockOf(1'100'000'000)), 37, 371));
  EXPECT_EQ(A.count(), 74u);
  EXPECT_EQ(A.bytes(), 741u);
  uint64_t Last = 0;
  for (const Bucket &B : A.buckets()) {
    EXPECT_LT(B.From, B.To);
    EXPECT_GE(B.From, Last);
    Last = B.To;
  }
}

TEST(Histogram, QuantilesInterpolateWithinABucket) {
  const Histogram H({{0, 100, 50, 0}, {1000, 2000, 50, 0}});
  EXPECT_EQ(H.quantile(0.5), 99u);  // the last life of the first bucket
  EXPECT_EQ(H.quantile(0.25), 49u); // its middle
  EXPECT_EQ(H.quantile(0.75), 1490u);
  EXPECT_EQ(H.quantile(0), 1u);
  EXPECT_EQ(H.quantile(1), 1990u);
}

TEST(Histogram, AQuantileBetweenTwoLivesIsTheLaterOne) {
  const Histogram H({{0, 10, 1, 0}, {10, 20, 1, 0}, {20, 30, 1, 0}});
  EXPECT_EQ(H.quantile(0.5), 15u); // the second of three
  EXPECT_EQ(H.quantile(0.67), 25u);
  EXPECT_EQ(H.quantile(0.33), 5u);
}

TEST(Histogram, GivesTheBucketsThatAreAskedFor) {
  const Histogram H({{0, 10, 10, 100}, {10, 20, 10, 200}, {100, 200, 4, 4}});
  const std::vector<uint64_t> Edges = {5, 20, 150};
  const auto B = H.between(Edges);
  ASSERT_EQ(B.size(), 4u);
  EXPECT_EQ(B[0], (Bucket{0, 5, 5, 50}));
  EXPECT_EQ(B[1], (Bucket{5, 20, 15, 250}));
  EXPECT_EQ(B[2], (Bucket{20, 150, 2, 2}));
  EXPECT_EQ(B[3].Count, 2u);
  EXPECT_EQ(B[3].To, ~uint64_t{0});
}

TEST(Histogram, EdgesOutsideAllLivesGiveEmptyBuckets) {
  const Histogram H({{100, 110, 3, 30}});
  const auto B = H.between(std::vector<uint64_t>{1, 50, 200});
  EXPECT_EQ(B[0].Count + B[1].Count + B[3].Count, 0u);
  EXPECT_EQ(B[2].Count, 3u);
}

} // namespace
