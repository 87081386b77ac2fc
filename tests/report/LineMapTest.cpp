//===- LineMapTest.cpp - Lines of one text in another ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/base/LineMap.h"

#include <gtest/gtest.h>
#include <string>

namespace inmem::report {
namespace {

/// The new line of each old line, with `!` if it has changed; `-`: removed.
std::string mapped(const std::string &Old, const std::string &New) {
  const LineMap Map(Old, New);
  std::string Out;
  for (uint32_t I = 1; I <= linesOf(Old).size(); ++I) {
    const auto At = Map.at(I);
    Out += (Out.empty() ? "" : " ") +
           (At ? std::to_string(At->Line) + (At->Changed ? "!" : "") : "-");
  }
  return Out;
}

TEST(LineMap, FollowsMovedAndChangedLines) {
  EXPECT_EQ(mapped("a\nb\nc\n", "a\nb\nc\n"), "1 2 3");
  EXPECT_EQ(mapped("a\nb\nc\n", "x\na\nb\nc\n"), "2 3 4");
  EXPECT_EQ(mapped("a\nb\nc\n", "a\nc\n"), "1 - 2");
  EXPECT_EQ(mapped("a\nb\nc\n", "a\nB\nc\n"), "1 2! 3");
  // More lines than before, and fewer.
  EXPECT_EQ(mapped("a\nb\nc\n", "a\nB\nD\nc\n"), "1 2! 4");
  EXPECT_EQ(mapped("a\nb\nd\nc\n", "a\nB\nc\n"), "1 2! 2! 3");
  // Braces and empty lines are many; what is unique around them decides.
  EXPECT_EQ(mapped("f {\n}\n\ng {\n}\n", "g {\n}\n\nf {\n}\n"), "4 2 3 1 5");
  EXPECT_EQ(mapped("f\n}\n\ng\n}\n", "f\n}\n\nh\n}\n\ng\n}\n"), "1 2 3 7 8");
}

TEST(LineMap, BlanksAndLineEndsDoNotCount) {
  EXPECT_EQ(mapped("  a;\nb\n", "\ta;\r\n    b \r\n"), "1 2");
  EXPECT_EQ(mapped("a\nb", "a\nb\n"), "1 2");
  EXPECT_EQ(mapped("", "a\n"), "");
  EXPECT_EQ(mapped("a\nb\n", ""), "- -");
  const LineMap Map("a\n", "a\n");
  EXPECT_FALSE(Map.at(0));
  EXPECT_FALSE(Map.at(2));
}

TEST(LineMap, ManyEqualLinesTakeLittleTime) {
  // Quadratic work would be 10^10 steps.
  std::string Old, New;
  for (int I = 0; I < 100'000; ++I)
    (I % 7 ? Old : New) += "}\n";
  Old += "last\n";
  New += "first\n" + Old;
  EXPECT_EQ(
      LineMap(Old, New).at(static_cast<uint32_t>(linesOf(Old).size()))->Line,
      linesOf(New).size());
}

} // namespace
} // namespace inmem::report
