//===- GrowthTest.cpp - The rule of "grows without bound" -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/base/Growth.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace inmem::report;

namespace {

constexpr double kRun = 60; // seconds

/// Value(At) for At from 0 to 1 over the run.
std::vector<Sample> sampled(size_t Count,
                            const std::function<double(double)> &Value) {
  std::vector<Sample> Out;
  for (size_t I = 0; I < Count; ++I) {
    const double At = static_cast<double>(I + 1) / static_cast<double>(Count);
    Out.push_back({static_cast<uint64_t>(At * kRun * 1e9),
                   static_cast<uint64_t>(std::max(0.0, Value(At)))});
  }
  return Out;
}

bool grows(size_t Count, const std::function<double(double)> &Value) {
  return growthOf(sampled(Count, Value)).Unbounded;
}

constexpr double kMega = 1 << 20;
const size_t kCounts[] = {12, 15, 24, 60, 199, 200, 201, 1000, 7919};

} // namespace

TEST(Growth, ASteadyLeakGrowsAtItsRate) {
  for (const size_t Count : kCounts) {
    const Growth G =
        growthOf(sampled(Count, [](double At) { return kMega * (1 + At); }));
    EXPECT_TRUE(G.Unbounded) << Count;
    ASSERT_TRUE(G.Rise);
    EXPECT_NEAR(G.Rise->Middle, kMega / kRun, kMega / kRun / 1000);
    EXPECT_LE(G.Rise->Low, G.Rise->Middle);
    EXPECT_LE(G.Rise->Middle, G.Rise->High);
  }
}

TEST(Growth, SamplesThatABusyMachineDelayedDoNotHideALeak) {
  // Nothing is sampled for a quarter of the run, wherever that is.
  for (const size_t Count : {30, 60, 199, 1000})
    for (double Gap = 0; Gap <= 0.75; Gap += 0.05) {
      auto Samples = sampled(Count, [](double At) { return kMega * (1 + At); });
      std::erase_if(Samples, [&](const Sample &S) {
        const double At = static_cast<double>(S.Ns) / (kRun * 1e9);
        return At > Gap && At < Gap + 0.25;
      });
      EXPECT_TRUE(growthOf(Samples).Unbounded) << Count << " without " << Gap;
    }
}

TEST(Growth, FewSamplesSayNothing) {
  const Growth G = growthOf(sampled(11, [](double At) { return kMega * At; }));
  EXPECT_FALSE(G.Rise);
  EXPECT_FALSE(G.Unbounded);
}

TEST(Growth, ALeakAfterALargeStartIsFound) {
  for (const size_t Count : kCounts)
    EXPECT_TRUE(grows(Count, [](double At) {
      return At < 0.1 ? 100 * kMega * At : 10 * kMega + kMega * At;
    })) << Count;
}

TEST(Growth, ALeakUnderNoiseIsFound) {
  std::mt19937 Random(1);
  std::normal_distribution<> Noise(0, 0.05 * kMega);
  for (const size_t Count : {60, 200, 1000})
    EXPECT_TRUE(grows(Count, [&](double At) {
      return kMega * (1 + At) + Noise(Random);
    })) << Count;
}

TEST(Growth, WhatStaysOrShrinksDoesNotGrow) {
  for (const size_t Count : kCounts) {
    EXPECT_FALSE(grows(Count, [](double) { return kMega; })) << Count;
    EXPECT_FALSE(grows(Count, [](double) { return 0; })) << Count;
    EXPECT_FALSE(grows(Count, [](double At) { return kMega * (2 - At); }));
  }
}

TEST(Growth, OneStepDoesNotGrow) {
  for (const size_t Count : kCounts)
    for (double Step = 0.05; Step < 1; Step += 0.05)
      EXPECT_FALSE(grows(
          Count, [&](double At) { return At < Step ? kMega : 5 * kMega; }))
          << Count << " at " << Step;
}

TEST(Growth, AWarmUpThatEndsInAPlateauDoesNotGrow) {
  std::mt19937 Random(2);
  for (const size_t Count : kCounts)
    for (double End = 0.05; End <= 0.7; End += 0.05) {
      EXPECT_FALSE(grows(
          Count, [&](double At) { return kMega * std::min(At / End, 1.0); }))
          << Count << " until " << End;
      std::normal_distribution<> Noise(0, 0.01 * kMega);
      EXPECT_FALSE(grows(Count,
                         [&](double At) {
                           return kMega * std::min(At / End, 1.0) +
                                  Noise(Random);
                         }))
          << Count << " until " << End << " with noise";
    }
}

TEST(Growth, WhatApproachesALimitDoesNotGrow) {
  for (const size_t Count : kCounts)
    for (const double Rate : {4.0, 6.0, 10.0, 30.0})
      EXPECT_FALSE(grows(
          Count, [&](double At) { return kMega * (1 - std::exp(-Rate * At)); }))
          << Count << " rate " << Rate;
}

TEST(Growth, NoiseAroundALevelDoesNotGrow) {
  size_t Alarms = 0;
  constexpr size_t kRuns = 2000;
  for (unsigned Seed = 0; Seed < kRuns; ++Seed) {
    std::mt19937 Random(Seed);
    std::normal_distribution<> Noise(0, 0.2 * kMega);
    Alarms += grows(12 + Seed % 90,
                    [&](double) { return 2 * kMega + Noise(Random); });
  }
  EXPECT_LE(Alarms, kRuns / 1000);
}

/// A sawtooth that falls in sight, whatever its period and where it begins.
TEST(Growth, ASawtoothDoesNotGrow) {
  for (const size_t Count : kCounts)
    for (double Period = 0.04; Period < 1.5; Period *= 1.2)
      for (double Begin = 0; Begin < 1; Begin += 0.11) {
        const auto Tooth = [&](double At) {
          return 0.5 * kMega + kMega * std::fmod(At / Period + Begin, 1.0);
        };
        const auto Samples = sampled(Count, Tooth);
        bool Falls = false;
        for (size_t I = 1; I < Samples.size(); ++I)
          Falls |= Samples[I].Value < Samples[I - 1].Value;
        if (Falls) {
          EXPECT_FALSE(growthOf(Samples).Unbounded)
              << Count << " period " << Period << " from " << Begin;
        }
      }
}

TEST(Growth, ALeakUnderASawtoothIsFoundAfterSomeRounds) {
  EXPECT_TRUE(grows(240, [](double At) {
    return kMega * std::fmod(At * 12, 1.0) + 1.2 * kMega * At;
  }));
}

TEST(Growth, ASlopeIsNotMovedByOutliers) {
  auto Samples = sampled(50, [](double At) { return kMega * At; });
  Samples[10].Value = 1000 * static_cast<uint64_t>(kMega);
  Samples[40].Value = 0;
  const auto S = slopeOf(Samples);
  ASSERT_TRUE(S);
  EXPECT_NEAR(S->Middle, kMega / kRun, kMega / kRun / 50);
}
