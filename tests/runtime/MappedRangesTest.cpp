//===- MappedRangesTest.cpp - Ranges against a map of pages ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "index/MappedRanges.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

using namespace inmem::rt;

namespace {

/// The owner of each page, one by one.
class Model {
public:
  void insert(const MappedRange &R) {
    for (uintptr_t P = R.Start; P < R.End; ++P)
      Pages[P] = R.Id;
  }
  /// \returns how many of each owner there were
  std::map<uint32_t, uint64_t> remove(uintptr_t Start, uintptr_t End) {
    std::map<uint32_t, uint64_t> Out;
    for (auto I = Pages.lower_bound(Start); I != Pages.end() && I->first < End;
         I = Pages.erase(I))
      ++Out[I->second];
    return Out;
  }
  /// Pages of one owner in a row are one range.
  std::vector<MappedRange> ranges() const {
    std::vector<MappedRange> Out;
    for (const auto &[Page, Id] : Pages)
      if (!Out.empty() && Out.back().End == Page && Out.back().Id == Id)
        ++Out.back().End;
      else
        Out.push_back({Page, Page + 1, Id});
    return Out;
  }

private:
  std::map<uintptr_t, uint32_t> Pages;
};

std::vector<MappedRange> rangesOf(const MappedRanges &R) {
  std::vector<MappedRange> Out;
  R.forEach([&](const MappedRange &Of) { Out.push_back(Of); });
  return Out;
}

void expectSame(const MappedRanges &R, const Model &M) {
  const std::vector<MappedRange> Found = rangesOf(R), Expected = M.ranges();
  ASSERT_EQ(Found.size(), Expected.size());
  for (size_t I = 0; I < Found.size(); ++I) {
    EXPECT_EQ(Found[I].Start, Expected[I].Start);
    EXPECT_EQ(Found[I].End, Expected[I].End);
    EXPECT_EQ(Found[I].Id, Expected[I].Id);
  }
}

std::map<uint32_t, uint64_t> remove(MappedRanges &R, uintptr_t Start,
                                    uintptr_t End) {
  std::map<uint32_t, uint64_t> Out;
  R.remove(
      Start, End,
      [](void *To, const MappedRange &Part) {
        (*static_cast<std::map<uint32_t, uint64_t> *>(To))[Part.Id] +=
            Part.End - Part.Start;
      },
      &Out);
  return Out;
}

TEST(MappedRanges, EachPageHasTheOwnerOfAMapOfPages) {
  MappedRanges R = {};
  Model M;
  std::mt19937 Random(60);
  const auto Below = [&](uintptr_t N) { return Random() % N; };
  for (int Step = 0; Step < 20000; ++Step) {
    const uintptr_t Start = 1000 + Below(4000), End = Start + 1 + Below(40);
    EXPECT_EQ(remove(R, Start, End), M.remove(Start, End));
    if (Below(3) > 0) {
      const MappedRange New = {Start, End, static_cast<uint32_t>(Below(3))};
      ASSERT_TRUE(R.insert(New));
      M.insert(New);
    }
    if (Step % 1000 == 0)
      expectSame(R, M);
  }
  expectSame(R, M);
  EXPECT_EQ(remove(R, 0, UINTPTR_MAX), M.remove(0, UINTPTR_MAX));
  EXPECT_TRUE(R.isEmpty());
}

TEST(MappedRanges, TheMiddleOfOneLeavesTwo) {
  MappedRanges R = {};
  ASSERT_TRUE(R.insert({10, 20, 1}));
  EXPECT_EQ(remove(R, 13, 15), (std::map<uint32_t, uint64_t>{{1, 2}}));
  const auto Left = rangesOf(R);
  ASSERT_EQ(Left.size(), 2u);
  EXPECT_EQ(Left[0].End, 13u);
  EXPECT_EQ(Left[1].Start, 15u);
  // A range in the gap joins both.
  ASSERT_TRUE(R.insert({13, 15, 1}));
  EXPECT_EQ(rangesOf(R).size(), 1u);
}

TEST(MappedRanges, ManyOwnersInARowStayInOrder) {
  // From the highest address down, as the kernel gives them out.
  MappedRanges R = {};
  constexpr uint32_t kMany = 5000;
  for (uint32_t I = kMany; I-- > 0;)
    ASSERT_TRUE(R.insert({I * 2 + 1, I * 2 + 3, I}));
  const auto All = rangesOf(R);
  ASSERT_EQ(All.size(), kMany);
  for (uint32_t I = 0; I < kMany; ++I)
    EXPECT_EQ(All[I].Id, I);
  R.clear();
  EXPECT_TRUE(R.isEmpty());
  ASSERT_TRUE(R.insert({1, 2, 7})); // reuses its memory
  EXPECT_EQ(rangesOf(R).size(), 1u);
}

} // namespace
