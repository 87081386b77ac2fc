//===- ThinningTest.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which lives are timed after the first 1024: one in 32, evenly, and none of a
// program's periods is left out.
#include "hot/Thinning.h"

#include <gtest/gtest.h>

#include <vector>

using namespace inmem::rt;

namespace {

/// State that a row keeps.
struct Row {
  explicit Row(uint32_t Seed) : Seed(Seed) {}
  uint64_t Allocations = 0;
  int32_t Untimed = 0;
  uint32_t Weyl = 0, Seed;

  Choice next() {
    ++Allocations;
    return --Untimed < 0 ? choose(Untimed, Weyl, Allocations, Seed)
                         : Choice::Untimed;
  }
  /// Past the blocks that are all timed.
  void skipExact() {
    while (Allocations < kExactLifetimes)
      ASSERT_EQ(next(), Choice::Timed);
  }
};

TEST(Thinning, TakesOneIn32OfAnyStretch) {
  constexpr uint64_t kStretch = 32 * 100;
  for (uint32_t Seed = 1; Seed <= 50; ++Seed) {
    Row R(Seed);
    R.skipExact();
    for (int Stretch = 0; Stretch < 4; ++Stretch) {
      int Chosen = 0;
      for (uint64_t I = 0; I < kStretch; ++I) {
        const Choice C = R.next();
        ASSERT_NE(C, Choice::Timed);
        Chosen += C == Choice::Thinned;
      }
      EXPECT_NEAR(Chosen, 100, 2) << Seed; // a random choice: 100 ± 10
    }
  }
}

TEST(Thinning, SeesEveryPhaseOfAPeriodAsOften) {
  constexpr uint64_t kTurns = 32 * 2000;
  for (uint64_t Period = 2; Period <= 64; ++Period) {
    std::vector<int> Chosen(Period);
    Row R(7);
    R.skipExact();
    for (uint64_t I = 0; I < kTurns * Period; ++I)
      Chosen[I % Period] += R.next() == Choice::Thinned;
    for (int Each : Chosen)
      EXPECT_NEAR(Each, 2000, 20) << Period; // random: 2000 ± 45
  }
}

TEST(Thinning, StepsAreWeylsSequence) {
  Row R(3);
  R.skipExact();
  Choice C = R.next();
  while (C != Choice::Thinned)
    C = R.next();
  // Weyl is that of the next one already: go on from here life by life.
  uint32_t Weyl = R.Weyl - static_cast<uint32_t>(R.Untimed + 1) * kWeylStep;
  for (int I = 0; I < 1000000; ++I) {
    Weyl += kWeylStep;
    ASSERT_EQ(R.next() == Choice::Thinned, Weyl < kWeylLimit) << I;
  }
}

TEST(Thinning, FirstChosenLifeIsNotTheSameForAll) {
  std::vector<int> At(64);
  for (uint32_t Seed = 1; Seed <= 3200; ++Seed) {
    Row R(Seed);
    R.skipExact();
    unsigned Nth = 0;
    while (R.next() != Choice::Thinned)
      ++Nth;
    ASSERT_LT(Nth, At.size());
    ++At[Nth];
  }
  EXPECT_NEAR(At[0], 100, 15); // one in 32
}

} // namespace
