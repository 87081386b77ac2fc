//===- AddressIndexTest.cpp - Ranges near an address ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "debuginfo/AddressIndex.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using inmem::debuginfo::AddressIndex;

namespace {

struct Range {
  uint64_t Start, End;
  uint32_t Number;
};

/// Ranges of all lengths, some with several pieces, some empty.
std::vector<Range> someRanges() {
  std::mt19937_64 Random(1);
  std::vector<Range> Out;
  for (uint32_t I = 0; I < 600; ++I)
    for (uint64_t Piece = 0; Piece <= Random() % 3; ++Piece) {
      const uint64_t Start = 0x1000 + Random() % 20000;
      const uint64_t Longest = uint64_t{1} << Random() % 14;
      Out.push_back({Start, Start + Random() % Longest, I});
    }
  return Out;
}

TEST(AddressIndex, FindsEachRangeThatContainsTheAddress) {
  AddressIndex Index;
  const std::vector<Range> All = someRanges();
  for (const Range &R : All)
    Index.add(R.Start, R.End, R.Number);
  for (int Again = 0; Again < 2; ++Again)
    for (uint64_t Address = 0xf00; Address < 0xb000; Address += 7) {
      const std::vector<uint32_t> Near = Index.near(Address);
      ASSERT_TRUE(std::ranges::is_sorted(Near, std::less_equal<>()));
      for (const Range &R : All)
        if (R.Start <= Address && Address < R.End)
          ASSERT_TRUE(std::ranges::binary_search(Near, R.Number)) << Address;
    }
}

TEST(AddressIndex, LooksAtNearRangesOnly) {
  constexpr uint32_t kCount = 100000;
  constexpr uint64_t kBytes = 16;
  AddressIndex Index;
  for (uint32_t I = 0; I < kCount; ++I)
    Index.add(kBytes * I, kBytes * (I + 1), I);
  size_t Seen = 0;
  for (uint32_t I = 0; I < kCount; ++I)
    Seen += Index.near(kBytes * I).size();
  EXPECT_LE(Seen, size_t{kCount} * 4);
  EXPECT_TRUE(Index.near(kBytes * kCount).empty());
}

} // namespace
