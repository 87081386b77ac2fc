// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which lives are timed after the first 1024: one in 32, evenly, and none of a
// program's periods is left out.
#include "Thinning.h"

#include <gtest/gtest.h>

#include <vector>

using namespace inmem::rt;

namespace {

TEST(Thinning, TakesOneIn32OfAnyStretch) {
  constexpr uint64_t kStretch = 32 * 100;
  for (uint64_t First : {uint64_t{1025}, uint64_t{1} << 20,
                         (uint64_t{1} << 32) - 100, uint64_t{1} << 40}) {
    int Chosen = 0;
    for (uint64_t I = 0; I < kStretch; ++I)
      Chosen += isChosen(First + I, kThinLimit);
    EXPECT_NEAR(Chosen, 100, 2) << First; // a random choice: 100 ± 10
  }
}

TEST(Thinning, SeesEveryPhaseOfAPeriodAsOften) {
  constexpr uint64_t kTurns = 32 * 2000;
  for (uint64_t Period = 2; Period <= 64; ++Period) {
    std::vector<int> Chosen(Period);
    for (uint64_t I = 0; I < kTurns * Period; ++I)
      Chosen[I % Period] += isChosen(1025 + I, kThinLimit);
    for (int Each : Chosen)
      EXPECT_NEAR(Each, 2000, 20) << Period; // random: 2000 ± 45
  }
}

} // namespace
