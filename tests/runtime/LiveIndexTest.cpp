//===- LiveIndexTest.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The live index gives back exactly what was entered, whatever the size, the
// address and the thread.
#include "index/LiveIndex.h"
#include "platform/Mappings.h"
#include "state/Recovery.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <unordered_map>
#include <vector>

using namespace inmem::rt;

/// The unit has no recorder behind it: no frame is ever left by a jump.
bool inmem::rt::recover(ThreadState & /*T*/, uintptr_t /*Frame*/) {
  return false;
}

namespace {

void *at(uintptr_t Address) { return reinterpret_cast<void *>(Address); }

void enter(uintptr_t Address, const Block &B) { putBack(at(Address), B); }

void expectSame(const Block &A, const Block &B) {
  EXPECT_EQ(A.site(), B.site());
  EXPECT_EQ(A.Size, B.Size);
  EXPECT_EQ(A.birth(), B.birth());
  EXPECT_EQ(A.thinned(), B.thinned());
}

// Addresses are only numbers to the index: nothing is read there.
constexpr uintptr_t kHeap = 0x1234'5600'0000;

TEST(LiveIndex, KnowsNothingOfAnUntouchedAddress) {
  EXPECT_FALSE(takeBlock(at(0x7000'0000'0000)));
  EXPECT_FALSE(takeBlock(nullptr));
}

TEST(LiveIndex, ReturnsSizesAroundTheInlineLimit) {
  for (uint64_t Size : {1u, 31u, 61u, 62u, 63u, 64u, 65u, 4096u}) {
    Block B{7, Size % 2 == 0, 99, Size};
    enter(kHeap, B);
    expectSame(takeBlock(at(kHeap)), B);
    EXPECT_FALSE(takeBlock(at(kHeap))) << "taken once, gone";
    // The first block of a span, for which there is no leaf yet.
    const uintptr_t First = 0x2000'0000'0000 + (Size << kSpanShift);
    enter(First, B);
    expectSame(takeBlock(at(First)), B);
  }
}

TEST(LiveIndex, KeepsTheLargestValueOfEachMember) {
  Block B{kMaxSites, true, kBirthMask, uint64_t{1} << 46};
  enter(kHeap + 64, B);
  expectSame(takeBlock(at(kHeap + 64)), B);
}

TEST(LiveIndex, NeighboursThirtyTwoBytesApartDoNotMix) {
  enter(kHeap, {1, false, 1, 24});
  enter(kHeap + 32, {2, false, 2, 24});
  enter(kHeap + 64, {3, true, 3, 1000});
  expectSame(takeBlock(at(kHeap + 32)), {2, false, 2, 24});
  expectSame(takeBlock(at(kHeap)), {1, false, 1, 24});
  expectSame(takeBlock(at(kHeap + 64)), {3, true, 3, 1000});
}

TEST(LiveIndex, ASizeMayLieInTheNextLeaf) {
  uintptr_t Last = kHeap + (uintptr_t{1} << kSpanShift) - 32;
  enter(Last, {5, false, 0, 5000});
  expectSame(takeBlock(at(Last)), {5, false, 0, 5000});
}

TEST(Births, AreNeverTheTwoReservedValues) {
  for (uint64_t Ticks :
       {uint64_t{0}, uint64_t{1}, kSaturated - 1, kSaturated, kSaturated + 1,
        2 * (kBirthMask + 1), uint64_t{12345678901234}}) {
    EXPECT_NE(birthAt(Ticks), 0u) << Ticks;
    EXPECT_NE(birthAt(Ticks), kSaturated) << Ticks;
  }
  EXPECT_EQ(birthAt(1000), 1000u);
}

TEST(Births, GiveTheLifeAcrossAWrapOfTheField) {
  uint64_t Born = kBirthMask - 10;
  EXPECT_EQ(lifetimeSince(birthAt(Born), Born + 500), 500u);
}

TEST(Births, OfACoreThatLagsGiveNoNegativeLife) {
  EXPECT_EQ(lifetimeSince(birthAt(1000000), 1000000 - 300), 0u);
}

TEST(Births, AnEntryHasTheLifeOfItsBirth) {
  std::mt19937_64 Random(7);
  for (int I = 0; I < 100000; ++I) {
    const uint64_t Born = Random() >> Random() % 64;
    const uint64_t Now = Born + (Random() >> Random() % 64) - (I % 3 ? 0 : 300);
    const uint64_t Birth = I % 5 ? birthAt(Born) : kSaturated;
    const IndexEntry Value =
        makeEntry(Random() & kMaxSites, Random() & kSizeFollows, I % 2, Birth);
    ASSERT_EQ(lifetimeOfEntry(Value, Now), lifetimeSince(Birth, Now))
        << Birth << ' ' << Now;
  }
}

// An injected clock: the test is the clock. Four ranges of the field pass
// with blocks born all along; no life may come out shorter than it was.
TEST(Births, SaturateInsteadOfWrapping) {
  constexpr uint64_t kStep = kSaturatedLifetime / 2;
  struct Born {
    uintptr_t Address;
    uint64_t Ticks;
  };
  std::vector<Born> Blocks;
  uint64_t Now = 5 * (kBirthMask + 1) + 77, LastAging = Now;
  for (int I = 0; I < 16; ++I, Now += kStep) {
    saturateOldBirths(Now, LastAging);
    LastAging = Now;
    for (uint64_t Extra : {uint64_t{0}, kStep / 3, kStep - 1}) {
      uintptr_t Address = 0x3333'0000'0000 + 4096 * Blocks.size();
      uint64_t Size = Blocks.size() % 2 ? 24 : 2000; // also with a size entry
      putBack(at(Address), {1, false, birthAt(Now + Extra), Size});
      Blocks.push_back({Address, Now + Extra});
    }
  }
  Now += 3; // a little after the last step
  saturateOldBirths(Now, LastAging);
  int Saturated = 0;
  for (size_t I = 0; I < Blocks.size(); ++I) {
    Block B = takeBlock(at(Blocks[I].Address));
    EXPECT_EQ(B.Size, I % 2 ? 24u : 2000u);
    uint64_t Life = lifetimeSince(B.birth(), Now), True = Now - Blocks[I].Ticks;
    if (True < kSaturatedLifetime) {
      EXPECT_EQ(Life, True) << I;
    } else {
      EXPECT_EQ(Life, kSaturatedLifetime) << I;
      ++Saturated;
    }
  }
  EXPECT_GT(Saturated, 30);
}

TEST(Births, OfABlockFreedAfterALongSleepSaturate) {
  uint64_t LastAging = 9 * kBirthMask, Born = LastAging + 5000;
  EXPECT_EQ(lifetimeSinceLongAgo(birthAt(Born), Born + 700, LastAging), 700u);
  EXPECT_EQ(lifetimeSinceLongAgo(birthAt(Born),
                                 Born + 3 * (kBirthMask + 1) + 700, LastAging),
            kSaturatedLifetime);
}

TEST(Births, SurviveAProcessThatSleptForYears) {
  uint64_t Born = 3 * kBirthMask, LastAging = Born - 1000;
  putBack(at(kHeap), {1, false, birthAt(Born), 24});
  uint64_t Now = Born + 1000 * kBirthMask + 12345; // no event in between
  EXPECT_EQ(saturateOldBirths(Now, LastAging), 1u);
  EXPECT_EQ(lifetimeSince(takeBlock(at(kHeap)).birth(), Now),
            kSaturatedLifetime);
}

// The size of a large block looks like an entry with a birth.
TEST(Births, OfOldBlocksSaturateWithoutTouchingSizes) {
  constexpr uint64_t kHuge = uint64_t{5} << kBirthShift | 12345;
  constexpr uintptr_t kSpan = uintptr_t{1} << kSpanShift;
  const uint64_t Born = 3 * kBirthMask, Now = Born + kSaturatedLifetime + 10;
  // One of them has its size in the next leaf.
  for (const uintptr_t Address : {kHeap + 5 * kSpan, kHeap + 7 * kSpan - 32}) {
    enter(kHeap + 6 * kSpan, {1, false, 0, 24}); // both leaves are there
    enter(kHeap + 7 * kSpan + 64, {1, false, 0, 24});
    enter(Address, {1, false, birthAt(Born), kHuge});
    EXPECT_EQ(saturateOldBirths(Now, Born), 1u);
    expectSame(takeBlock(at(Address)), {1, false, kSaturated, kHuge});
  }
}

class ReturnedPages : public testing::Test {
protected:
  static constexpr uintptr_t kArea = 0x4444'0000'0000;
  /// Heap whose entries fill a page of the index.
  static constexpr uintptr_t kCovered = uintptr_t{4096 / sizeof(IndexEntry)}
                                        << kGranuleShift;
  static bool isDropped(uintptr_t Address) {
    unsigned char Resident[1] = {1};
    auto *Page = reinterpret_cast<char *>(
        reinterpret_cast<uintptr_t>(entryOf(Address)) & ~uintptr_t{4095});
    EXPECT_TRUE(findResident(Page, 4096, Resident));
    return (Resident[0] & 1) == 0;
  }
  void SetUp() override {
    if (pageSize() != 4096)
      GTEST_SKIP() << "written for pages of 4 KiB";
    for (uintptr_t Page = 0; Page < 3; ++Page) { // touched, and empty
      enter(kArea + Page * kCovered, {1, false, 0, 24});
      takeBlock(at(kArea + Page * kCovered));
    }
  }
};

TEST_F(ReturnedPages, AreThoseThatHoldNoEntry) {
  enter(kArea + kCovered + 32, {1, false, 7, 24});
  EXPECT_GE(returnEmptyPages(nullptr, 0), 2 * 4096u);
  EXPECT_TRUE(isDropped(kArea));
  EXPECT_FALSE(isDropped(kArea + kCovered));
  EXPECT_TRUE(isDropped(kArea + 2 * kCovered));
  expectSame(takeBlock(at(kArea + kCovered + 32)), {1, false, 7, 24});
}

TEST_F(ReturnedPages, AreNoneThatABusyBlockWillBeEnteredInto) {
  // Its entry is the last of a page, its size the first of the next.
  void *Busy[] = {at(kArea + kCovered - 32)};
  returnEmptyPages(Busy, 1);
  EXPECT_FALSE(isDropped(kArea));
  EXPECT_FALSE(isDropped(kArea + kCovered));
  EXPECT_TRUE(isDropped(kArea + 2 * kCovered));
}

class HugeLeaves : public testing::Test {
protected:
  static constexpr uintptr_t kSpan = uintptr_t{1} << kSpanShift;
  static constexpr uintptr_t kDense = 40; ///< spans that make a large heap
  /// True if huge pages were asked for where \p Address has its entry.
  static bool isHuge(uintptr_t Address) {
    return askedForHugePages(reinterpret_cast<uintptr_t>(entryOf(Address)));
  }
  static bool askedForHugePages(uintptr_t Address) {
    std::ifstream Maps("/proc/self/smaps");
    bool Within = false;
    for (std::string Line; std::getline(Maps, Line);) {
      unsigned long Begin = 0, End = 0;
      // NOLINTNEXTLINE(bugprone-unchecked-string-to-number-conversion)
      if (std::sscanf(Line.c_str(), "%lx-%lx ", &Begin, &End) == 2)
        Within = Begin <= Address && Address < End;
      else if (Within && Line.rfind("VmFlags:", 0) == 0)
        return Line.find(" hg") != std::string::npos;
    }
    return false;
  }
  /// One small block in each \p Step bytes of \p Spans spans from \p Area on.
  static void fill(uintptr_t Area, uintptr_t Spans, uintptr_t Step) {
    for (uintptr_t At = Area; At < Area + Spans * kSpan; At += Step)
      enter(At, {1, false, 0, 24});
  }
  void SetUp() override {
    constexpr size_t kBytes = 4096;
    void *Page = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(Page, MAP_FAILED);
    const bool IsShown = madvise(Page, kBytes, MADV_HUGEPAGE) == 0 &&
                         askedForHugePages(reinterpret_cast<uintptr_t>(Page));
    munmap(Page, kBytes);
    if (!IsShown) // an emulator, too
      GTEST_SKIP() << "this kernel does not say where huge pages are wanted";
  }
};

TEST_F(HugeLeaves, AreNextToThoseThatTheHeapFills) {
  constexpr uintptr_t kArea = 0x5555'0100'0000;
  fill(kArea, kDense, 16384);
  EXPECT_FALSE(isHuge(kArea + kSpan)); // where 2 MB count
  enter(kArea + kDense * kSpan, {1, false, 0, 24});
  enter(kArea - kSpan, {1, false, 0, 24});
  enter(kArea + (kDense + 2) * kSpan, {1, false, 0, 24});
  EXPECT_TRUE(isHuge(kArea + kDense * kSpan));
  EXPECT_TRUE(isHuge(kArea - kSpan)); // of a heap that grows downwards
  EXPECT_FALSE(isHuge(kArea + (kDense + 2) * kSpan));
  // They hold what others hold, also behind their last entry.
  constexpr uintptr_t kLast = kArea + (kDense + 1) * kSpan - 32;
  enter(kLast, {3, false, 7, 5000});
  expectSame(takeBlock(at(kLast)), {3, false, 7, 5000});
  expectSame(takeBlock(at(kArea + kDense * kSpan)), {1, false, 0, 24});
}

TEST_F(HugeLeaves, AreNotWhereBlocksLieFarApart) {
  if (pageSize() != 4096)
    GTEST_SKIP() << "far apart for pages of 4 KiB";
  constexpr uintptr_t kArea = 0x5556'0000'0000;
  fill(kArea, kDense, 64 * 1024);
  enter(kArea + kDense * kSpan, {1, false, 0, 24});
  EXPECT_FALSE(isHuge(kArea + kDense * kSpan));
}

TEST(EnclosingBlocks, AreFoundByAnyOfTheirBytes) {
  // Either half of a granule may begin a block; with and without a size entry.
  for (const uintptr_t Begin : {kHeap, kHeap + 16})
    for (const uint64_t Size : {8u, 40u, 62u, 63u, 5000u}) {
      enter(Begin, {6, false, 0, Size});
      for (const uintptr_t Offset :
           {uintptr_t{0}, uintptr_t{Size / 2}, uintptr_t{Size - 1}}) {
        EnclosingBlock Last = {};
        EXPECT_EQ(siteOfEnclosing(Begin + Offset, Last), 6u)
            << Size << " bytes, at " << Offset;
      }
      EnclosingBlock Last = {};
      EXPECT_EQ(siteOfEnclosing(Begin + Size + 32, Last), 0u);
      takeBlock(at(Begin));
    }
}

TEST(EnclosingBlocks, ThatTheLastWasAreOnlyAsLongAsTheyLive) {
  EnclosingBlock Last = {};
  enter(kHeap, {6, false, 0, 1000});
  EXPECT_EQ(siteOfEnclosing(kHeap + 500, Last), 6u);
  takeBlock(at(kHeap));
  EXPECT_EQ(siteOfEnclosing(kHeap + 500, Last), 0u);
  enter(kHeap, {9, false, 0, 1000});
  EXPECT_EQ(siteOfEnclosing(kHeap + 500, Last), 9u);
  takeBlock(at(kHeap));
}

TEST(LiveIndex, AddressesBeyond47BitsGoToTheSideTable) {
  uintptr_t High = uintptr_t{1} << 52;
  enter(High, {9, false, 4, 100});
  enter(High + 8, {10, true, 5, 8});
  EXPECT_EQ(ForeignBlockCount, 2u);
  expectSame(takeBlock(at(High)), {9, false, 4, 100});
  expectSame(takeBlock(at(High + 8)), {10, true, 5, 8});
  EXPECT_EQ(ForeignBlockCount, 0u);
}

TEST(ForeignBlocks, ANullPointerIsNone) {
  Block B{7, false, 0, 8};
  ASSERT_TRUE(addForeign(at(0x1000), B));
  EXPECT_FALSE(takeForeign(nullptr));
  EXPECT_EQ(ForeignBlockCount, 1u);
  EXPECT_TRUE(takeForeign(at(0x1000)));
}

TEST(LiveIndex, AnEntryIsReservedForOneOfTwoPackedBlocks) {
  EXPECT_TRUE(reserveEntry(at(0x7000)));
  EXPECT_FALSE(reserveEntry(at(0x7010)));
  addBlock(at(0x7000), 16, makeEntry(3, 0, false, 0));
  releaseEntry(at(0x7000)); // it is a block's now, and stays
  EXPECT_EQ(takeBlock(at(0x7000)).site(), 3u);
  EXPECT_TRUE(reserveEntry(at(0x7010)));
  releaseEntry(at(0x7010));
  EXPECT_FALSE(takeBlock(at(0x7010)));
}

/// The index as sampling has it.
class FewBlocksEntered : public testing::Test {
protected:
  void SetUp() override {
    std::fill(std::begin(EnteredBlocks), std::end(EnteredBlocks), uint8_t{0});
    expectFewBlocks();
  }
  void TearDown() override {
    FewBlocks = false;
    LastDirect = Direct;
  }
  /// So far apart that they share a place.
  static constexpr uintptr_t kNextOfCount = kEnteredCounts * 4096;

private:
  const uintptr_t Direct = LastDirect;
};

TEST_F(FewBlocksEntered, ATakenBlockLeavesItsPageUnknown) {
  const Block B{7, false, 99, 5000};
  EXPECT_FALSE(mayBeEntered(at(kHeap)));
  enter(kHeap, B);
  EXPECT_TRUE(mayBeEntered(at(kHeap + 4064)));
  EXPECT_FALSE(mayBeEntered(at(kHeap + 4096)));
  EXPECT_FALSE(takeBlock(at(kHeap + 4064)));
  expectSame(takeBlock(at(kHeap)), B);
  EXPECT_FALSE(mayBeEntered(at(kHeap)));
  EXPECT_FALSE(takeBlock(at(kHeap)));
}

TEST_F(FewBlocksEntered, MoreOfAPlaceThanItCountsAreAllFound) {
  constexpr uintptr_t kBlocks = 3 * 128;
  auto Address = [](uintptr_t I) {
    return kHeap + I / 128 * kNextOfCount + I % 128 * 32;
  };
  for (uintptr_t I = 0; I < kBlocks; ++I)
    enter(Address(I), {7, false, I + 1, 24});
  for (uintptr_t I = 0; I < kBlocks; ++I)
    expectSame(takeBlock(at(Address(I))), {7, false, I + 1, 24});
  EXPECT_TRUE(mayBeEntered(at(kHeap)))
      << "how many are left is not known any more";
  EXPECT_FALSE(takeBlock(at(kHeap)));
}

TEST_F(FewBlocksEntered, BlocksOfTheSideTableAreFound) {
  const uintptr_t Packed = kHeap + 0x1'0008, High = uintptr_t{1} << 52;
  ASSERT_TRUE(addForeign(at(Packed), {9, false, 4, 8}));
  enter(High, {9, false, 4, 100});
  expectSame(takeBlock(at(Packed)), {9, false, 4, 8});
  expectSame(takeBlock(at(High)), {9, false, 4, 100});
  EXPECT_EQ(ForeignBlockCount, 0u);
}

TEST_F(FewBlocksEntered, ThreadsThatShareAPlaceLoseNothing) {
  constexpr uintptr_t kOther = kHeap + 0x20'0000;
  std::vector<std::thread> Threads;
  std::atomic<int> Lost = 0;
  for (uintptr_t Thread = 0; Thread < 4; ++Thread)
    Threads.emplace_back([&, Thread] {
      const uintptr_t Mine = kOther + Thread * kNextOfCount;
      for (uint64_t I = 1; I <= 50000; ++I) {
        enter(Mine, {3, false, I, 24});
        Lost += takeBlock(at(Mine)).birth() != I;
      }
    });
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(Lost, 0);
  EXPECT_FALSE(mayBeEntered(at(kOther)));
}

TEST(ForeignBlocks, BehaveAsAMapUnderRandomUse) {
  std::mt19937 Random(1);
  std::unordered_map<uintptr_t, Block> Expected;
  for (int I = 0; I < 200000; ++I) {
    uintptr_t Address = 0x5000 + 8 * (Random() % 5000);
    if (Random() % 2) {
      Block B{1 + static_cast<uint32_t>(Random() % 1000), false, Random(),
              1 + Random() % 100};
      ASSERT_TRUE(addForeign(at(Address), B));
      Expected[Address] = B;
    } else {
      auto Found = Expected.find(Address);
      Block B = takeForeign(at(Address));
      ASSERT_EQ(static_cast<bool>(B), Found != Expected.end());
      if (B) {
        expectSame(B, Found->second);
        Expected.erase(Found);
      }
    }
    ASSERT_EQ(ForeignBlockCount, Expected.size());
  }
  for (auto &[Address, B] : Expected)
    expectSame(takeForeign(at(Address)), B);
}

// Addresses in order spread evenly; addresses of a real heap share homes.
TEST(ForeignBlocks, ThatShareAHomeAreAllFoundWhateverIsTakenFirst) {
  std::mt19937_64 Random(2);
  std::vector<uintptr_t> Addresses(3000);
  for (uintptr_t &Each : Addresses)
    Each = (Random() >> 17 | 1) << 4;
  for (int Round = 0; Round < 4; ++Round) {
    for (const uintptr_t Each : Addresses)
      ASSERT_TRUE(addForeign(at(Each), {1, false, Each, 8}));
    std::shuffle(Addresses.begin(), Addresses.end(), Random);
    for (const uintptr_t Each : Addresses)
      ASSERT_EQ(takeForeign(at(Each)).birth(), Each & kBirthMask);
    ASSERT_EQ(ForeignBlockCount, 0u);
  }
}

TEST(LiveIndex, ThreadsWithBlocksInTheSameLeavesDoNotDisturbEachOther) {
  constexpr int kThreads = 4, kRounds = 50000;
  std::vector<std::thread> Threads;
  std::vector<int> Errors(kThreads);
  for (int T = 0; T < kThreads; ++T)
    Threads.emplace_back([T, &Errors] {
      std::mt19937 Random(static_cast<unsigned>(T));
      for (int I = 0; I < kRounds; ++I) {
        // Interleaved 128-byte lots: neighbours belong to other threads.
        uintptr_t Address =
            0x2222'0000'0000 +
            128 * (kThreads * (Random() % 100000) + static_cast<unsigned>(T));
        uint64_t Size = 1 + Random() % 96;
        Block B{static_cast<uint32_t>(T + 1), false, Random(), Size};
        putBack(at(Address), B);
        Block Back = takeBlock(at(Address));
        Errors[static_cast<size_t>(T)] += Back.site() != B.site() ||
                                          Back.Size != B.Size ||
                                          Back.birth() != B.birth();
      }
    });
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(Errors, std::vector<int>(kThreads));
}

unsigned Reported;
IndexEntry ReportedValue;
uint64_t ReportedSize;

TEST(ForeignBlocks, ABlockForWhichThereIsNoMemoryIsReportedOnce) {
  constexpr uintptr_t kFar = uintptr_t{1} << kAddressBits;
  constexpr uintptr_t kMost = uintptr_t{1} << 22;
  const IndexEntry Value = makeEntry(7, kSizeFollows, false, 0);
  const auto Before = BlockNotEntered;
  BlockNotEntered = [](IndexEntry Lost, uint64_t Size) {
    ++Reported;
    ReportedValue = Lost;
    ReportedSize = Size;
  };
  rlimit Old;
  ASSERT_EQ(getrlimit(RLIMIT_AS, &Old), 0);
  const rlimit None = {0, Old.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &None), 0);
  void *Room = mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (Room != MAP_FAILED) { // an emulator that takes limits as advice
    munmap(Room, 1 << 20);
    BlockNotEntered = Before;
    GTEST_SKIP() << "memory cannot be limited";
  }
  uintptr_t Count = 0;
  while (Count < kMost && addBlockSlow(at(kFar + Count * 16), 5000, Value))
    ++Count;
  setrlimit(RLIMIT_AS, &Old);
  BlockNotEntered = Before;
  EXPECT_LT(Count, kMost);
  EXPECT_EQ(Reported, 1u);
  EXPECT_EQ(ReportedValue, Value);
  EXPECT_EQ(ReportedSize, 5000u);
  for (uintptr_t I = 0; I < Count; ++I)
    takeForeign(at(kFar + I * 16));
}

} // namespace
