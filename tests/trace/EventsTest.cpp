//===- EventsTest.cpp - Streams of mode=trace -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/SampleTrace.h"

#include <cstring>

using namespace inmem::trace;
using namespace inmem::test;

namespace {

TEST(Events, CarrySiteSizeAndTimeFromOneToTheNext) {
  const Trace T = readText(kSample);
  EventStream Stream(T, 1);
  Event E;
  ASSERT_TRUE(Stream.next(E));
  EXPECT_EQ(E.Kind, EventKind::Allocate);
  EXPECT_EQ(E.Site, 1u);
  EXPECT_EQ(E.Size, 24u);
  EXPECT_EQ(E.Ticks, 10u);
  EXPECT_FALSE(E.Timed);
  ASSERT_TRUE(Stream.next(E));
  EXPECT_EQ(E.Kind, EventKind::Free);
  EXPECT_EQ(E.Site, 1u);
  EXPECT_EQ(E.Ticks, 310u);
  EXPECT_TRUE(E.Timed);
  EXPECT_EQ(E.Lifetime, 300u);
  ASSERT_TRUE(Stream.next(E));
  EXPECT_EQ(E.Kind, EventKind::Retag);
  EXPECT_EQ(E.Site, 2u);
  EXPECT_EQ(E.From, 1u);
  EXPECT_FALSE(Stream.next(E));
  EXPECT_FALSE(Stream.damage());
}

TEST(Events, RunOnOverExtents) {
  const Trace T = readText("header\n"
                           "extent events owner=1 sequence=1\n"
                           " event allocate site=3 size=9 time=1\n"
                           "extent events owner=2\n"
                           " event allocate site=4 size=8 time=7\n"
                           "extent events owner=1 sequence=2\n"
                           " event allocate site=3 size=9 time=2\n");
  EventStream Stream(T, 1);
  Event E;
  ASSERT_TRUE(Stream.next(E));
  ASSERT_TRUE(Stream.next(E));
  EXPECT_EQ(E.Site, 3u);
  EXPECT_EQ(E.Size, 9u);
  EXPECT_EQ(E.Ticks, 3u);
  EXPECT_FALSE(Stream.next(E));
}

TEST(Events, AnUnknownTagEndsTheStreamWithItsPlace) {
  auto Bytes = assembled("header\nextent events owner=1\n"
                         " event allocate site=3 size=9 time=1\n");
  Bytes[4096 + 64 + 1] |= std::byte{0x80};
  const auto All = readSealed(Bytes);
  ASSERT_TRUE(All);
  EventStream Stream((*All)[0], 1);
  Event E;
  EXPECT_FALSE(Stream.next(E));
  ASSERT_TRUE(Stream.damage());
  EXPECT_EQ(Stream.damage()->Offset, 4096u + 64u);
  EXPECT_FALSE(Stream.next(E));
}

TEST(Events, ASlotThatNothingFilledIsDamage) {
  auto Bytes = assembled("header\nextent events owner=1\n"
                         " event allocate site=3 size=9 time=1\n"
                         " event free site=3 size=9\n");
  Bytes[4096 + 64 + 5] ^= std::byte{1}; // the second event's slot
  const auto All = readSealed(Bytes);
  ASSERT_TRUE(All);
  EventStream Stream((*All)[0], 1);
  Event E;
  EXPECT_TRUE(Stream.next(E));
  EXPECT_FALSE(Stream.next(E));
  ASSERT_TRUE(Stream.damage());
  EXPECT_EQ(Stream.damage()->Offset, 4096u + 64u + 5u);
}

TEST(Events, APairThatIsKnownTakesTwoBytes) {
  const auto Bytes = assembled("header\nextent events owner=1\n"
                               " event allocate site=300 size=900 time=1\n"
                               " event free site=300 size=900\n"
                               " event allocate site=300 size=900 time=4\n");
  uint64_t Used = 0;
  std::memcpy(&Used, &Bytes[4096 + offsetof(ExtentHeader, Used)], sizeof Used);
  EXPECT_EQ(Used, 7u + 2u + 3u);
  const Trace T = std::move((*readBytes(Bytes))[0]);
  EventStream Stream(T, 1);
  Event E;
  ASSERT_TRUE(Stream.next(E));
  ASSERT_TRUE(Stream.next(E));
  EXPECT_EQ(E.Kind, EventKind::Free);
  EXPECT_EQ(E.Site, 300u);
  EXPECT_EQ(E.Size, 900u);
  EXPECT_FALSE(E.Clocked);
  EXPECT_EQ(E.Ticks, 1u);
  ASSERT_TRUE(Stream.next(E));
  EXPECT_EQ(E.Ticks, 5u);
}

TEST(Events, AVarintThatNeverEndsIsDamage) {
  auto Bytes = assembled("header\nextent events owner=1\n"
                         " event allocate site=3 size=9 time=1\n");
  const uint64_t Used = 40;
  std::memcpy(&Bytes[4096 + offsetof(ExtentHeader, Used)], &Used, sizeof Used);
  for (size_t I = 1; I < 40; ++I)
    Bytes[4096 + 64 + I] = std::byte{0xff};
  const auto All = readSealed(Bytes);
  EventStream Stream((*All)[0], 1);
  Event E;
  EXPECT_FALSE(Stream.next(E));
  EXPECT_TRUE(Stream.damage());
}

} // namespace
