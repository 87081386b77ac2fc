//===- ArenaTest.cpp - Shards and their supply ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Arena.h"

#include "Slab.h"
#include "Supply.h"

#include <chrono>
#include <cstring>
#include <ctime>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <thread>
#include <vector>

using namespace inmem::place;

namespace {

/// Pages of the range that are in memory.
size_t residentPages() {
  std::vector<unsigned char> Pages(RangeBytes / pageSize());
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  if (mincore(reinterpret_cast<void *>(RangeBase), RangeBytes, Pages.data()))
    return 0;
  size_t Out = 0;
  for (const unsigned char Page : Pages)
    Out += Page & 1;
  return Out;
}

uint32_t coarseMs() {
  timespec Now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &Now);
  return static_cast<uint32_t>(Now.tv_sec * 1000 + Now.tv_nsec / 1'000'000);
}

/// Seconds after all that happened before.
uint32_t later() {
  static uint32_t Ahead = 0;
  return coarseMs() + (Ahead += 5000);
}

constexpr size_t kWorthTrimming = size_t{1} << 20;

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

TEST(Arena, FewBlocksOfASizeShareASlab) {
  for (const int Class : {INMEM_PLACE_PHASE, INMEM_PLACE_STEADY}) {
    std::vector<void *> Kept;
    for (const size_t Size : {16, 48, 100, 500})
      for (const size_t Align : {1, 32})
        Kept.push_back(allocate(Class, Size, Align));
    // A size that is gone again and again is still one of few.
    for (unsigned I = 0; I < 1000; ++I)
      release(allocate(Class, 48, 1));
    Kept.push_back(allocate(Class, 48, 1));
    EXPECT_EQ(inmem_place_stats().page_bytes, kSlab);
    for (void *Block : Kept)
      release(Block);
    trim();
  }
}

TEST(Arena, TrimReturnsPagesWithoutBlocks) {
  // One block in 400 stays: of 32 bytes, one in three pages of 4 KiB.
  const size_t Larger = pageSize() / 4096, Each = 400 * Larger;
  const auto Blocks = filled(INMEM_PLACE_STEADY, 200000, 32);
  const auto Large = filled(INMEM_PLACE_PHASE, 1000, 5000);
  const size_t Before = residentPages();
  for (size_t I = 0; I < Blocks.size(); ++I)
    if (I % Each != 0)
      release(Blocks[I]);
  for (size_t I = 0; I < Large.size(); ++I)
    if (I % 20 != 0)
      release(Large[I]);
  EXPECT_TRUE(trim());
  EXPECT_LE(residentPages(), 500U / Larger + 50U * 3U);
  EXPECT_GT(Before, 2700U / Larger);
  for (size_t I = 0; I < Blocks.size(); I += Each) {
    EXPECT_EQ(Blocks[I][0], 7);
    EXPECT_EQ(Blocks[I][31], 7);
  }
  // Returned blocks can be had again.
  const auto Again = filled(INMEM_PLACE_STEADY, 200000, 32);
  for (char *Block : Again)
    release(Block);
  for (size_t I = 0; I < Blocks.size(); I += Each)
    release(Blocks[I]);
  for (size_t I = 0; I < Large.size(); I += 20)
    release(Large[I]);
  trim();
  EXPECT_EQ(residentPages(), 0U);
  EXPECT_FALSE(trim());
  EXPECT_EQ(inmem_place_stats().page_bytes, 0U);
}

// Slabs that are taken again soon after their pages were returned keep them the
// next time, until a trim.
TEST(Supply, ATrimForgetsWhatWasWantedSoon) {
  const auto LetTimePass = [] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  };
  trim();
  LetTimePass();
  std::vector<Slab *> Taken(40);
  const auto Take = [&] {
    for (Slab *&S : Taken)
      ASSERT_NE(S = TheSupply.takeCold(/*Whole=*/false), nullptr);
  };
  const auto Give = [&] {
    for (Slab *S : Taken)
      TheSupply.give(S);
  };
  const auto CountWarm = [] {
    std::vector<Slab *> Warm;
    while (Slab *S = TheSupply.takeWarm(/*Whole=*/false))
      Warm.push_back(S);
    for (Slab *S : Warm)
      TheSupply.give(S);
    return Warm.size();
  };
  Take();
  Give();
  const size_t Usual = CountWarm();
  size_t Kept = 0;
  for (int I = 0; I < 100 && Kept <= Usual; ++I) { // a busy machine is late
    Take();
    Give();
    Kept = CountWarm();
  }
  EXPECT_GT(Kept, Usual);
  EXPECT_TRUE(TheSupply.trim());
  EXPECT_EQ(CountWarm(), 0U);
  LetTimePass();
  Take();
  Give();
  EXPECT_EQ(CountWarm(), Usual);
  trim();
}

TEST(Arena, AQuietSecondReturnsPages) {
  const uint32_t Before = coarseMs();
  const auto Blocks = filled(INMEM_PLACE_STEADY, 200000, 32);
  for (size_t I = 0; I < Blocks.size(); ++I)
    if (I % 400 != 0)
      release(Blocks[I]);
  EXPECT_FALSE(trimIfQuiet(Before)) << "slabs were taken since then";
  const uint32_t Later = later();
  trimIfQuiet(Later);
  EXPECT_LE(residentPages(), 500U + kWorthTrimming / pageSize());
  EXPECT_FALSE(trimIfQuiet(Later)) << "nothing was freed since then";
  EXPECT_FALSE(trimIfQuiet(later())) << "nothing was freed since then";
  for (size_t I = 0; I < Blocks.size(); I += 400) {
    EXPECT_EQ(Blocks[I][0], 7);
    EXPECT_EQ(Blocks[I][31], 7);
    release(Blocks[I]);
  }
  trim();
}

TEST(Arena, APhaseThatEndsAtOnceLeavesAnEighth) {
  const uint32_t Start = coarseMs();
  const auto Blocks = filled(INMEM_PLACE_PHASE, 400000, 32);
  const size_t Full = residentPages();
  const uint32_t Later = later();
  constexpr size_t kPerSlab = kSlab / 32; // one block in each stays
  unsigned Trims = 0;
  for (size_t I = 0; I < Blocks.size(); ++I) {
    if (I % kPerSlab != 0)
      release(Blocks[I]);
    if (I % 1000 == 999)
      Trims += trimIfQuiet(Later);
  }
  EXPECT_LE(residentPages(), Full / 8 + Blocks.size() / kPerSlab);
  EXPECT_GE(Trims, 2U);
  EXPECT_LE(Trims, 12U);
  // A phase that comes back within the second, on pages that were kept.
  for (char *Block : filled(INMEM_PLACE_PHASE, 20000, 32))
    release(Block);
  // A quiet second that passes in the meantime trims, too: under emulation.
  if (coarseMs() - Start < 1000)
    EXPECT_FALSE(trimIfQuiet(Later));
  for (size_t I = 0; I < Blocks.size(); I += kPerSlab)
    release(Blocks[I]);
  trim();
}

TEST(Arena, AnEndedThreadLeavesLittle) {
  prepareForFork();
  for (unsigned I = 0; I < 16; ++I)
    std::thread([] {
      for (const size_t Size : {600, 2000, 5000, 8000})
        for (char *Block : filled(INMEM_PLACE_PHASE, 20, Size))
          release(Block);
    }).join();
  const size_t Warm = 8 * kSlab / pageSize(); // of all threads together
  EXPECT_LE(residentPages(), Warm);
  trim();
}
