//===- FormatTest.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shared arithmetic of the trace format.
#include "trace/format/Format.h"
#include "tables/Hash.h"

#include <gtest/gtest.h>

#include <random>

using namespace inmem::trace;

namespace {

TEST(Buckets, TileTheNumberLineWithoutGapOrOverlap) {
  uint64_t Expected = 0;
  for (unsigned O = 0; O < kOctaves; ++O)
    for (unsigned B = 0; B < kBucketsPerOctave; ++B) {
      uint64_t Start = bucketStart(O, B);
      ASSERT_EQ(Start, Expected) << O << "/" << B;
      uint64_t End = B + 1 < kBucketsPerOctave ? bucketStart(O, B + 1)
                                               : bucketStart(O + 1, 0);
      ASSERT_GT(End, Start);
      EXPECT_EQ(octaveOf(Start), O);
      EXPECT_EQ(bucketInOctave(Start), B);
      EXPECT_EQ(octaveOf(End - 1), O);
      EXPECT_EQ(bucketInOctave(End - 1), B);
      // At most an eighth of the lower bound wide.
      if (Start >= 8) {
        EXPECT_LE((End - Start) * 8, Start);
      }
      Expected = End;
    }
}

TEST(Buckets, HoldEveryLifeThatTheIndexCanMeasure) {
  uint64_t Longest = (uint64_t{1} << 37) - 1;
  EXPECT_LT(octaveOf(Longest), kOctaves);
}

TEST(Buckets, OfRandomTicksContainThem) {
  std::mt19937_64 Random(7);
  for (int I = 0; I < 100000; ++I) {
    uint64_t Ticks = Random() >> (27 + Random() % 37);
    unsigned O = octaveOf(Ticks), B = bucketInOctave(Ticks);
    ASSERT_LE(bucketStart(O, B), Ticks);
    ASSERT_LT(Ticks, B + 1 < kBucketsPerOctave ? bucketStart(O, B + 1)
                                               : bucketStart(O + 1, 0));
  }
}

TEST(AddressHash, IsSipHash) {
  // The paper's key, and the first eight bytes of its message.
  const uint64_t Key[2] = {0x0706050403020100, 0x0f0e0d0c0b0a0908};
  EXPECT_EQ(inmem::rt::sipHash(0x0706050403020100, Key), 0x93f5f5799a932462u);
}

} // namespace
