//===- LifetimeGridTest.cpp - Lifetimes on a grid of all hosts ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/tables/LifetimeGrid.h"

#include <gtest/gtest.h>

namespace inmem::fleet {

TEST(LifetimeGrid, BucketsMeetWithoutGapOrOverlap) {
  for (unsigned B = 0; B < kGridBuckets; ++B) {
    EXPECT_LT(gridStart(B), gridStart(B + 1));
    EXPECT_EQ(gridBucket(gridStart(B)), B);
    EXPECT_EQ(gridBucket(gridStart(B + 1) - 1), B);
  }
  EXPECT_EQ(gridStart(0), 0u);
  EXPECT_EQ(gridStart(kGridBuckets), uint64_t{INT64_MAX});
  EXPECT_EQ(gridBucket(UINT64_MAX), kGridBuckets - 1);
}

TEST(LifetimeGrid, BucketsAreAnEighthWideAtMost) {
  for (unsigned B = 8; B + 1 < kGridBuckets; ++B)
    EXPECT_LE((gridStart(B + 1) - gridStart(B)) * 8, gridStart(B));
}

TEST(LifetimeGrid, TotalsStay) {
  // Edges of another clock: none is one of the grid's.
  const report::Histogram Lifetimes({{3, 5, 7, 70},
                                     {100, 113, 11, 13},
                                     {113, 131, 1, 5},
                                     {1000, 9000, 5, 9}});
  uint64_t Count = 0, Bytes = 0;
  unsigned Before = 0;
  bool First = true;
  for (const GridCell &C : onGrid(Lifetimes)) {
    EXPECT_TRUE(First || C.Bucket > Before);
    First = false;
    Before = C.Bucket;
    EXPECT_GT(C.Count, 0u);
    Count += C.Count;
    Bytes += C.Bytes;
  }
  EXPECT_EQ(Count, Lifetimes.count());
  EXPECT_EQ(Bytes, Lifetimes.bytes());
}

TEST(LifetimeGrid, ABucketThatFitsStaysWhole) {
  const auto Cells = onGrid(report::Histogram({{64, 72, 9, 90}}));
  ASSERT_EQ(Cells.size(), 1u);
  EXPECT_EQ(gridStart(Cells[0].Bucket), 64u);
  EXPECT_EQ(Cells[0].Count, 9u);
  EXPECT_EQ(Cells[0].Bytes, 90u);
}

TEST(LifetimeGrid, ADividedBucketGoesByWidth) {
  // 64 to 80 are two of the grid's buckets of 8.
  const auto Cells = onGrid(report::Histogram({{64, 80, 4, 40}}));
  ASSERT_EQ(Cells.size(), 2u);
  EXPECT_EQ(Cells[0].Count, 2u);
  EXPECT_EQ(Cells[1].Bytes, 20u);
}

} // namespace inmem::fleet
