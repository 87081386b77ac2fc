//===- FinalSizesTest.cpp - Sizes at which containers end -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/findings/FinalSizes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

using namespace inmem::report;

namespace {

/// Vectors of elements of one byte by the room that they end with.
using Ends = std::map<unsigned, unsigned>;

std::vector<double> doublings() {
  std::vector<double> Out;
  for (unsigned I = 0; I < 48; ++I)
    Out.push_back(static_cast<double>(uint64_t{1} << I));
  return Out;
}

/// Their allocations on the way, in groups: of blocks up to \p Told lives do
/// not separate the sizes.
SizeGroups grown(const Ends &Of, unsigned Told) {
  std::map<unsigned, SizeGroups::Class> Groups;
  for (const auto &[Last, Count] : Of)
    for (unsigned Size = 1; Size <= Last; Size *= 2) {
      SizeGroups::Class &To = Groups[std::max(Size, Told)];
      To.Blocks += Count;
      To.Bytes += Count * Size;
    }
  SizeGroups Out;
  for (const auto &[Size, C] : Groups)
    Out.add(C.Blocks, C.Bytes);
  return Out;
}

Counts sumOf(const SizeGroups &Of) {
  Counts Out;
  Out.Allocations = static_cast<uint64_t>(Of.Blocks);
  Out.AllocatedBytes = static_cast<uint64_t>(Of.Bytes);
  return Out;
}

FinalSizes endsOf(const Ends &Of, unsigned Told) {
  const SizeGroups Groups = grown(Of, Told);
  return {Groups, doublings(), 1, sumOf(Groups)};
}

} // namespace

TEST(FinalSizes, AreTheStepsAfterWhichContainersAreMissing) {
  const FinalSizes F = endsOf({{2, 10}, {16, 850}, {1024, 140}}, 1);
  EXPECT_NEAR(F.containers(), 1000, 5);
  EXPECT_EQ(F.quantile(0.01), 2);
  EXPECT_EQ(F.quantile(0.5), 16);
  EXPECT_EQ(F.quantile(0.85), 16);
  EXPECT_EQ(F.quantile(0.99), 1024);
  const double Last = 10 * 2 + 850 * 16 + 140 * 1024;
  EXPECT_NEAR(F.finalBytes(), Last, Last / 50);
}

TEST(FinalSizes, OfOneSize) {
  const FinalSizes F = endsOf({{1024, 300}}, 1);
  EXPECT_NEAR(F.containers(), 300, 3);
  EXPECT_EQ(F.quantile(0.5), 1024);
  EXPECT_EQ(F.quantile(0.99), 1024);
}

TEST(FinalSizes, LivesThatTellOnlyTheLargerSizesApart) {
  const FinalSizes F = endsOf({{16, 900}, {1024, 100}}, 8);
  EXPECT_NEAR(F.containers(), 1000, 20);
  EXPECT_EQ(F.quantile(0.5), 16);
  EXPECT_EQ(F.quantile(0.99), 1024);
  const FinalSizes Large = endsOf({{1024, 500}}, 32);
  EXPECT_NEAR(Large.containers(), 500, 10);
  EXPECT_EQ(Large.quantile(0.5), 1024);
}

TEST(FinalSizes, GroupsOfWhichTooFewWereTimedAddUp) {
  // 300 for 1024; of the largest size a third was seen.
  SizeGroups Seen;
  for (double Size = 1; Size <= 1024; Size *= 2)
    Seen.add(Size < 1024 ? 300 : 100, (Size < 1024 ? 300 : 100) * Size);
  Counts All;
  All.Allocations = 300 * 11;
  All.AllocatedBytes = 300 * 2047;
  const FinalSizes F(Seen, doublings(), 1, All);
  EXPECT_NEAR(F.containers(), 300, 10);
  EXPECT_EQ(F.quantile(0.5), 1024);
}

TEST(FinalSizes, WhatAReserveLeaves) {
  const FinalSizes F = endsOf({{16, 900}, {1024, 100}}, 1);
  const auto All = F.reserved(1024);
  EXPECT_NEAR(All.Blocks, 1000, 5);
  EXPECT_NEAR(All.Bytes, 1000 * 1024, 5000);
  // Containers that end above it grow from there.
  const auto Half = F.reserved(16);
  EXPECT_NEAR(Half.Blocks, 1000 + 100 * 6, 10);
  EXPECT_NEAR(Half.Bytes, 1000 * 16 + 100 * (2048 - 32), 5000);
}

TEST(FinalSizes, MoreContainersThanSizesSay) {
  FinalSizes F = endsOf({{16, 100}}, 1);
  F.scaleTo(110);
  EXPECT_EQ(F.containers(), 110);
  EXPECT_EQ(F.quantile(0.5), 16);
  EXPECT_NEAR(F.reserved(16).Blocks, 110, 1);
}

TEST(FinalSizes, ThatAreKnownToBeOne) {
  const FinalSizes F(7, 640);
  EXPECT_EQ(F.quantile(0.5), 640);
  EXPECT_EQ(F.quantile(0.99), 640);
  EXPECT_EQ(F.reserved(640).Bytes, 7 * 640);
}
