//===- ArenaTest.cpp - Shards and their supply ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Arena.h"

#include "Slab.h"

#include <cstring>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <thread>
#include <vector>

using namespace inmem::place;

namespace {

/// Pages of the range that are in memory.
size_t residentPages() {
  std::vector<unsigned char> Pages(RangeBytes / kPage);
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  if (mincore(reinterpret_cast<void *>(RangeBase), RangeBytes, Pages.data()))
    return 0;
  size_t Out = 0;
  for (const unsigned char Page : Pages)
    Out += Page & 1;
  return Out;
}

std::vector<char *> filled(int Class, size_t Count, size_t Size) {
  std::vector<char *> Out(Count);
  for (char *&Block : Out) {
    Block = static_cast<char *>(allocate(Class, Size, 1));
    std::memset(Block, 7, Size);
  }
  return Out;
}

} // namespace

TEST(Arena, BlocksHaveTheirClassAndSize) {
  for (const int Class : {INMEM_PLACE_PHASE, INMEM_PLACE_STEADY})
    for (const size_t Size : {1, 16, 17, 300, 1024, 1025, 8192})
      for (const size_t Align : {1, 32, 64}) {
        void *Block = allocate(Class, Size, Align);
        ASSERT_TRUE(isPlaced(Block));
        EXPECT_EQ(classOf(Block), Class);
        EXPECT_GE(usableSize(Block), Size);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(Block) % Align, 0U);
        release(Block);
      }
  EXPECT_EQ(inmem_place_stats().blocks, 0U);
  EXPECT_EQ(inmem_place_stats().bytes, 0U);
}

TEST(Arena, TrimReturnsPagesWithoutBlocks) {
  // One block in 400 stays: of 32 bytes, one in three pages.
  const auto Blocks = filled(INMEM_PLACE_STEADY, 200000, 32);
  const auto Large = filled(INMEM_PLACE_PHASE, 1000, 5000);
  const size_t Before = residentPages();
  for (size_t I = 0; I < Blocks.size(); ++I)
    if (I % 400 != 0)
      release(Blocks[I]);
  for (size_t I = 0; I < Large.size(); ++I)
    if (I % 20 != 0)
      release(Large[I]);
  EXPECT_TRUE(trim());
  EXPECT_LE(residentPages(), 500U + 50U * 3U);
  EXPECT_GT(Before, 2700U);
  for (size_t I = 0; I < Blocks.size(); I += 400) {
    EXPECT_EQ(Blocks[I][0], 7);
    EXPECT_EQ(Blocks[I][31], 7);
  }
  // What was returned can be had again.
  const auto Again = filled(INMEM_PLACE_STEADY, 200000, 32);
  for (char *Block : Again)
    release(Block);
  for (size_t I = 0; I < Blocks.size(); I += 400)
    release(Blocks[I]);
  for (size_t I = 0; I < Large.size(); I += 20)
    release(Large[I]);
  trim();
  EXPECT_EQ(residentPages(), 0U);
  EXPECT_FALSE(trim());
  EXPECT_EQ(inmem_place_stats().page_bytes, 0U);
}

TEST(Arena, AnEndedThreadLeavesLittle) {
  prepareForFork();
  for (unsigned I = 0; I < 16; ++I)
    std::thread([] {
      for (const size_t Size : {600, 2000, 5000, 8000})
        for (char *Block : filled(INMEM_PLACE_PHASE, 20, Size))
          release(Block);
    }).join();
  constexpr size_t kWarm = 8 * kSlab / kPage; // of all threads together
  EXPECT_LE(residentPages(), kWarm);
  trim();
}
