//===- DamageTest.cpp - Cut and damaged traces ----------------------------===//
//
// Whatever the bytes, reading ends, stays within the file and keeps what is
// whole. Run under ASan and UBSan these tests check memory too.
//
//===----------------------------------------------------------------------===//
#include "support/SampleTrace.h"

#include "trace/Verifier.h"

#include <cstring>
#include <random>

using namespace inmem::trace;
using namespace inmem::test;

namespace {

/// Touches everything that is read on demand.
size_t readEverything(const std::vector<std::byte> &Bytes) {
  const auto All = readBytes(Bytes);
  if (!All)
    return 0;
  size_t Sum = 0;
  for (const Trace &T : *All) {
    Sum += dump(T, {true, true}).size();
    dumpTypes(T, [&](std::string_view Piece) { Sum += Piece.size(); });
    Sum += verify(T).size();
    for (const Entry &E : T.Entries)
      Sum += T.buckets(E).Cells[0].Count;
  }
  return Sum;
}

/// Where the extents of the sample begin, with its header.
std::vector<size_t> boundaries(const std::vector<std::byte> &Bytes) {
  const auto All = readBytes(Bytes);
  std::vector<size_t> Out;
  for (const Extent &E : (*All)[0].Extents)
    Out.push_back(E.Offset);
  return Out;
}

TEST(Damage, TruncationAtEveryByteKeepsWhatIsWhole) {
  const auto Whole = assembled(kSample);
  const Trace Reference = (*readBytes(Whole))[0];
  for (size_t Length = 0; Length < Whole.size();
       Length += Length < 6000 ? 1 : 13) {
    const std::vector<std::byte> Part(Whole.begin(),
                                      Whole.begin() +
                                          static_cast<ptrdiff_t>(Length));
    const auto All = readBytes(Part);
    if (!All) {
      EXPECT_LT(Length, sizeof(FileHeader));
      continue;
    }
    ASSERT_EQ(All->size(), 1u);
    const Trace &T = (*All)[0];
    EXPECT_TRUE(T.Cut) << Length;
    EXPECT_FALSE(T.complete());
    EXPECT_FALSE(T.damaged()) << Length << ": "
                              << T.Findings.back().status("t").str();
    EXPECT_LE(T.Entries.size(), Reference.Entries.size());
    for (const Entry &E : T.Entries)
      EXPECT_LE(E.Totals.Allocations, 10u);
    readEverything(Part);
  }
}

TEST(Damage, AnExtentThatIsWholeSurvivesTheCutOfTheNext) {
  const auto Whole = assembled(kSample);
  const auto Starts = boundaries(Whole);
  // Cut in the middle of the second Rows extent (meta, rows, rows, ...).
  std::vector<std::byte> Part(Whole.begin(),
                              Whole.begin() + static_cast<ptrdiff_t>(
                                                  Starts[2] + 64 + 320 + 5));
  const auto All = readBytes(Part);
  ASSERT_TRUE(All);
  const Trace &T = (*All)[0];
  EXPECT_EQ(T.Sites.size(), 6u);
  ASSERT_EQ(T.Entries.size(), 3u);
  EXPECT_EQ(T.Entries[0].Totals.Frees, 8u); // both threads' rows of site 1
}

TEST(Damage, FlippingEachByteNeitherCrashesNorHangs) {
  const auto Whole = assembled(kSample);
  const auto Starts = boundaries(Whole);
  std::vector<size_t> Places;
  for (size_t I = 0; I < sizeof(FileHeader); ++I)
    Places.push_back(I);
  for (const size_t Start : Starts)
    for (size_t I = 0; I < 2600 && Start + I < Whole.size(); ++I)
      if (I < 64 || Whole[Start + I] != std::byte{0} || I % 5 == 0)
        Places.push_back(Start + I);
  for (const size_t At : Places)
    for (const unsigned Mask : {0x01u, 0x80u, 0xffu}) {
      auto Bytes = Whole;
      Bytes[At] ^= static_cast<std::byte>(Mask);
      readEverything(Bytes);
    }
}

TEST(Damage, RandomBytesBehindAValidHeaderAreHarmless) {
  const auto Whole = assembled(kSample);
  std::mt19937 Random(1234);
  for (int Round = 0; Round < 300; ++Round) {
    auto Bytes = Whole;
    for (int I = 0; I < 40; ++I)
      Bytes[4096 + Random() % (Bytes.size() - 4096)] =
          static_cast<std::byte>(Random());
    readEverything(Bytes);
  }
}

TEST(Damage, AnImpossibleCountIsReportedWithItsPlace) {
  auto Bytes = assembled(kSample);
  const size_t Rows = boundaries(Bytes)[1];
  const uint64_t Used = 1'000'000;
  std::memcpy(&Bytes[Rows + offsetof(ExtentHeader, Used)], &Used, sizeof Used);
  const auto All = readBytes(Bytes);
  ASSERT_TRUE(All);
  const Trace &T = (*All)[0];
  ASSERT_TRUE(T.damaged());
  const std::string Message = T.Findings[0].status("f").str();
  EXPECT_NE(Message.find("f: at byte " +
                         std::to_string(Rows + offsetof(ExtentHeader, Used))),
            std::string::npos)
      << Message;
  EXPECT_NE(Message.find("found 1000000"), std::string::npos);
}

TEST(Damage, AnExtentOfSizeZeroDoesNotLoop) {
  auto Bytes = assembled(kSample);
  const size_t Rows = boundaries(Bytes)[1];
  std::memset(&Bytes[Rows + offsetof(ExtentHeader, Bytes)], 0, 8);
  const auto All = readBytes(Bytes);
  ASSERT_TRUE(All);
  EXPECT_TRUE((*All)[0].damaged());
  EXPECT_EQ((*All)[0].Extents.size(), 1u);
}

TEST(Damage, AHugeExtentIsACutAndNotAnAllocation) {
  auto Bytes = assembled(kSample);
  const size_t Rows = boundaries(Bytes)[1];
  const uint64_t Huge = ~uint64_t{0} - 4095;
  std::memcpy(&Bytes[Rows + offsetof(ExtentHeader, Bytes)], &Huge, sizeof Huge);
  std::memcpy(&Bytes[Rows + offsetof(ExtentHeader, Used)], &Huge, sizeof Huge);
  const auto All = readBytes(Bytes);
  ASSERT_TRUE(All);
  EXPECT_TRUE((*All)[0].Cut);
}

TEST(Damage, AHugeIndexIsNoAllocation) {
  const Trace T = readText("header\nextent meta\n"
                           " type index=4000000000 id=1 name=\"A\"\n"
                           " site id=4000000000\n module id=4000000000\n"
                           "extent rows owner=1\n row site=4000000000 "
                           "allocations=1 bytes=1\n");
  EXPECT_TRUE(T.damaged());
  EXPECT_EQ(T.Types.size(), 1u);
  EXPECT_EQ(T.Sites.size(), 1u);
  EXPECT_TRUE(T.Entries.empty());
}

TEST(Damage, ARowMayNotReferToTheLifetimesOfAnotherThread) {
  auto Bytes = assembled(kSample);
  const auto All = readBytes(Bytes);
  const Trace &T = (*All)[0];
  // Thread 1's first row gets the block of thread 2's.
  const Row Theirs = T.row(T.Rows[3]);
  const size_t At = T.Rows[0].Offset + offsetof(Row, Octaves) + 4 * 2;
  std::memcpy(&Bytes[At], &Theirs.Octaves[2], 4);
  const auto Again = readBytes(Bytes);
  Buckets Lives;
  EXPECT_FALSE((*Again)[0].addBuckets((*Again)[0].Rows[0], Lives));
}

TEST(Damage, ADamagedSecondProcessLeavesTheFirst) {
  auto Bytes = assembled("header pid=1\nextent meta\n process \"a\"\n");
  auto Second = assembled(kSample);
  Second[offsetof(FileHeader, Version)] = std::byte{77};
  Bytes.insert(Bytes.end(), Second.begin(), Second.end());
  const auto All = readBytes(Bytes);
  ASSERT_TRUE(All);
  ASSERT_EQ(All->size(), 1u);
  EXPECT_TRUE((*All)[0].damaged());
}

} // namespace
