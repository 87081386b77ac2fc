//===- BlockSizesTest.cpp - Types that sizes of blocks agree with ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "debuginfo/TypeFinder.h"

#include <gtest/gtest.h>

using namespace inmem::debuginfo;

namespace {

// A vector of elements of 32 bytes that grew to 32: 1 + 2 + ... + 32.
constexpr BlockSizes kGrown{6, 2016};

TEST(BlockSizes, ElementsFillBlocksOfDifferentSizesWithAWholeMean) {
  EXPECT_TRUE(kGrown.areFilledBy(32));
  EXPECT_FALSE(kGrown.areFilledBy(36 * 3));
  EXPECT_FALSE(kGrown.areFilledBy(0));
}

TEST(BlockSizes, OfATypeThatMayBeAnothersTheMeanIsEachBlocksSize) {
  EXPECT_FALSE(kGrown.areEachFilledBy(32));
  EXPECT_TRUE(kGrown.areEachFilledBy(48));
  // A mean that is not a whole number is not a size.
  EXPECT_TRUE((BlockSizes{3, 64}.areEachFilledBy(32)));
  EXPECT_FALSE((BlockSizes{4, 160}.areEachFilledBy(32)));
  EXPECT_FALSE(kGrown.areEachFilledBy(0));
}

TEST(BlockSizes, AnAllocatorsClassesAddBytes) {
  const BlockSizes Rounded{10, 480, 15};
  EXPECT_TRUE(Rounded.areOneEach(40));
  EXPECT_FALSE(Rounded.areOneEach(32));
  EXPECT_FALSE(Rounded.areOneEach(49));
  EXPECT_TRUE(Rounded.areEachFilledBy(40));
  EXPECT_FALSE((BlockSizes{1, 48, 15}.areFilledBy(64)));
}

} // namespace
