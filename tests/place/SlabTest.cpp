//===- SlabTest.cpp - Blocks and runs in a slab ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Slab.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <random>
#include <vector>

using namespace inmem::place;

namespace {

/// Memory for a slab with the alignment that its blocks' numbers depend on.
class Memory {
public:
  explicit Memory(size_t Bytes)
      : Start(static_cast<char *>(std::aligned_alloc(kLargeSlab, Bytes))) {}
  ~Memory() { std::free(Start); }
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;
  char *const Start;
};

/// Which pages blocks are on, the slow way.
std::vector<bool> usedPages(const Slab &S, const std::map<char *, size_t> &Of) {
  std::vector<bool> Out(bytesOf(S) / pageSize());
  for (const auto &[Block, Size] : Of)
    for (size_t At = 0; At < Size; ++At)
      Out[static_cast<size_t>(Block - S.Start + static_cast<ptrdiff_t>(At)) /
          pageSize()] = true;
  return Out;
}

void expectPages(const Slab &S, const std::map<char *, size_t> &Blocks) {
  const std::vector<bool> Used = usedPages(S, Blocks);
  std::vector<bool> Idle(Used.size());
  eachIdleRun(S, [&](size_t Offset, size_t Bytes) {
    for (size_t Page = Offset / pageSize();
         Page < (Offset + Bytes) / pageSize(); ++Page)
      Idle[Page] = true;
  });
  for (size_t Page = 0; Page < Used.size(); ++Page)
    EXPECT_NE(Idle[Page], Used[Page]) << "page " << Page;
}

} // namespace

TEST(Sizes, BinsHoldWhatTheyAreFor) {
  for (size_t Size = 1; Size <= kMostUniform; ++Size) {
    const unsigned Bin = binOfSize(Size);
    EXPECT_GE(kSizes.SizeOf[Bin], Size);
    if (Bin > 0) {
      EXPECT_LT(kSizes.SizeOf[Bin - 1], Size);
    }
  }
}

TEST(UniformSlab, HoldsBlocksSideBySideFromLowAddressesUp) {
  const Memory M(kLargeSlab);
  const auto S = std::make_unique<Slab>();
  for (unsigned Bin = 0; Bin < kBins; ++Bin) {
    S->Start = M.Start;
    prepareUniform(*S, Bin);
    EXPECT_EQ(S->Blocks, kSlab / S->Size);
    for (unsigned I = 0; I < S->Blocks; ++I)
      EXPECT_EQ(takeBlock(*S), M.Start + size_t{I} * S->Size);
    EXPECT_EQ(S->Used, S->Blocks);
    putBack(*S, M.Start + size_t{7} * S->Size);
    putBack(*S, M.Start + size_t{3} * S->Size);
    EXPECT_EQ(takeBlock(*S), M.Start + size_t{3} * S->Size);
    EXPECT_EQ(takeBlock(*S), M.Start + size_t{7} * S->Size);
  }
}

TEST(UniformSlab, RefusesWhatIsNoBlock) {
  const Memory M(kLargeSlab);
  const auto S = std::make_unique<Slab>();
  S->Start = M.Start;
  prepareUniform(*S, binOfSize(48));
  auto *Block = static_cast<char *>(takeBlock(*S));
  EXPECT_DEATH(putBack(*S, Block + 16), "invalid pointer");
  EXPECT_DEATH(putBack(*S, Block + 48), "double free");
  EXPECT_DEATH(putBack(*S, M.Start + kSlab - 16), "invalid pointer");
  putBack(*S, Block);
  EXPECT_DEATH(putBack(*S, Block), "double free");
}

TEST(UniformSlab, PagesWithoutBlocksAreIdle) {
  const Memory M(kLargeSlab);
  const auto S = std::make_unique<Slab>();
  std::minstd_rand Random(1);
  for (const unsigned Bin : {0U, 2U, 15U, 20U, kBins - 1}) {
    S->Start = M.Start;
    prepareUniform(*S, Bin);
    std::map<char *, size_t> Blocks;
    expectPages(*S, Blocks);
    for (unsigned I = 0; I < S->Blocks; ++I)
      Blocks[static_cast<char *>(takeBlock(*S))] = S->Size;
    expectPages(*S, Blocks);
    for (auto It = Blocks.begin(); It != Blocks.end();) {
      // Few stay, so that whole pages become free.
      if (Random() % (4 * pageSize() / S->Size + 2) != 0) {
        putBack(*S, It->first);
        It = Blocks.erase(It);
      } else {
        ++It;
      }
    }
    expectPages(*S, Blocks);
  }
}

TEST(MixedSlab, FreeRunsSideBySideAreOne) {
  const Memory M(kLargeSlab);
  for (const SlabKind Kind : {SlabKind::Small, SlabKind::Large})
    for (const unsigned Ahead : {0U, 1U, 2U}) {
      const auto All = std::make_unique<Extent>();
      Slab &S = All->First;
      S.Start = M.Start;
      prepareMixed(S, Kind);
      const unsigned Longest = runsOf(Kind).Longest, Half = Longest / 2;
      std::vector<void *> Blocks;
      if (Ahead > 0) // so that runs cross words of the bitmap
        takeRun(S, runsOf(Kind).Shortest + Ahead);
      while (void *Block = takeRun(S, Half))
        Blocks.push_back(Block);
      EXPECT_LT(S.LongestRun, Half);
      for (size_t I = 2; I + 1 < Blocks.size(); I += 3) {
        const bool Back = I % 2 == 0;
        putBackRun(S, Blocks[Back ? I : I - 1]);
        EXPECT_EQ(S.LongestRun, Half) << I;
        putBackRun(S, Blocks[Back ? I - 1 : I]);
        EXPECT_EQ(S.LongestRun, Longest) << I;
        EXPECT_EQ(takeRun(S, Longest), Blocks[I - 1]);
        EXPECT_EQ(takeRun(S, Half), nullptr); // LongestRun is exact again
      }
    }
}

TEST(MixedSlab, RefusesWhatIsNoBlock) {
  const Memory M(kLargeSlab);
  for (const SlabKind Kind : {SlabKind::Small, SlabKind::Large}) {
    const auto All = std::make_unique<Extent>();
    Slab &S = All->First;
    S.Start = M.Start;
    prepareMixed(S, Kind);
    const RunSizes &Runs = runsOf(Kind);
    auto *Block = static_cast<char *>(takeRun(S, Runs.Longest));
    EXPECT_DEATH(putBackRun(S, Block + (size_t{1} << Runs.Shift)),
                 "invalid pointer");
    EXPECT_DEATH(putBackRun(S, Block + 16), "invalid pointer");
    putBackRun(S, Block);
    EXPECT_DEATH(putBackRun(S, Block), "double free");
  }
}

TEST(MixedSlab, RunsDoNotOverlapAndComeBack) {
  const Memory M(kLargeSlab);
  std::minstd_rand Random(1);
  for (const SlabKind Kind : {SlabKind::Small, SlabKind::Large}) {
    const auto All = std::make_unique<Extent>();
    Slab &S = All->First;
    S.Start = M.Start;
    prepareMixed(S, Kind);
    const RunSizes &Runs = runsOf(Kind);
    std::map<char *, size_t> Blocks;
    for (unsigned Round = 0; Round < 3000; ++Round) {
      if (!Blocks.empty() && Random() % 5 < 2) {
        const auto It = std::next(
            Blocks.begin(), static_cast<ptrdiff_t>(Random() % Blocks.size()));
        EXPECT_EQ(size_t{runLength(S, It->first)} << Runs.Shift, It->second);
        EXPECT_EQ(size_t{putBackRun(S, It->first)} << Runs.Shift, It->second);
        Blocks.erase(It);
        continue;
      }
      const auto Granules = static_cast<unsigned>(
          Runs.Shortest + Random() % (Runs.Longest - Runs.Shortest + 1));
      auto *Block = static_cast<char *>(takeRun(S, Granules));
      if (!Block) {
        EXPECT_LT(S.LongestRun, Granules);
        continue;
      }
      const size_t Bytes = size_t{Granules} << Runs.Shift;
      const auto Next = Blocks.lower_bound(Block);
      EXPECT_TRUE(Next == Blocks.end() || Block + Bytes <= Next->first);
      EXPECT_TRUE(Next == Blocks.begin() ||
                  std::prev(Next)->first + std::prev(Next)->second <= Block);
      EXPECT_LE(Block + Bytes, M.Start + bytesOf(S));
      Blocks[Block] = Bytes;
    }
    expectPages(S, Blocks);
    for (const auto &[Block, Bytes] : Blocks)
      putBackRun(S, Block);
    EXPECT_EQ(S.Used, 0);
    EXPECT_EQ(S.LongestRun, Runs.Longest);
    expectPages(S, {});
  }
}
