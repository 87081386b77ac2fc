//===- BrailleTest.cpp - Curves in a terminal -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text/Curve.h"

#include <gtest/gtest.h>

using namespace inmem::report;

using Lines = std::vector<std::string>;

TEST(BrailleTest, EachHalfColumnHasFourStepsALine) {
  Style S;
  EXPECT_EQ(brailleArea({0, 1, 2, 3, 4, 4}, 1, 4, S), Lines{"⢀⣴⣿"});
  EXPECT_EQ(brailleArea({4, 8}, 2, 8, S), (Lines{"⢸", "⣿"}));
}

TEST(BrailleTest, AnythingAboveZeroIsSeenAndUnknownIsBlank) {
  Style S;
  EXPECT_EQ(brailleArea({1, 0, std::nullopt, std::nullopt}, 1, 1000000, S),
            Lines{"⡀ "});
  EXPECT_EQ(brailleArea({0, 0}, 2, 0, S), (Lines{" ", " "}));
  // More than the upper border fills the column.
  EXPECT_EQ(brailleArea({9, 9}, 1, 4, S), Lines{"⣿"});
}

TEST(BrailleTest, WithoutUnicodeAColumnIsItsLargerValue) {
  Style S;
  S.Unicode = false;
  EXPECT_EQ(brailleArea({0, 8, 4, 0}, 2, 8, S), (Lines{"# ", "##"}));
}
