//===- UnitsTest.cpp - Numbers for people ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/base/Units.h"
#include "report/base/Words.h"

#include "report/formats/Json.h"

#include <fstream>
#include <gtest/gtest.h>

using namespace inmem::report;

namespace {

/// The page of `inmem html` is held to the same list.
TEST(Units, FiguresReadAsOnThePage) {
  std::ifstream In(INMEM_FIGURES);
  const Json Figures = Json::parse(In);
  ASSERT_GE(Figures.size(), 4u);
  for (const auto &Row : Figures["bytes"])
    EXPECT_EQ(humanBytes(Row[0].get<uint64_t>()), Row[1].get<std::string>());
  for (const auto &Row : Figures["count"])
    EXPECT_EQ(humanCount(Row[0].get<uint64_t>()), Row[1].get<std::string>());
  for (const auto &Row : Figures["duration"])
    EXPECT_EQ(humanLifetime(Row[0].get<uint64_t>(), Unit::Nanoseconds, true),
              Row[1].get<std::string>());
  for (const auto &Row : Figures["percent"])
    EXPECT_EQ(humanShare(Row[0][0].get<uint64_t>(), Row[0][1].get<uint64_t>()),
              Row[1].get<std::string>());
}

TEST(Units, BytesTakeTheUnitThatKeepsThemShort) {
  EXPECT_EQ(humanBytes(0), "0 B");
  EXPECT_EQ(humanBytes(1023), "1023 B");
  EXPECT_EQ(humanBytes(1024), "1.0 KiB");
  EXPECT_EQ(humanBytes(1258291), "1.2 MiB");
  EXPECT_EQ(humanBytes(1024 * 1024 - 1), "1.0 MiB");
  EXPECT_EQ(humanBytes(~uint64_t{0}), "16.0 EiB");
  EXPECT_EQ(humanBytesDelta(-2048), "-2.0 KiB");
  EXPECT_EQ(humanBytesDelta(5), "+5 B");
  EXPECT_EQ(humanBytesDelta(0), "0 B");
}

TEST(Units, CountsAreExactWhileShort) {
  EXPECT_EQ(humanCount(9999), "9999");
  EXPECT_EQ(humanCount(34'000), "34.0 k");
  EXPECT_EQ(humanCount(999'999), "1.0 M");
  EXPECT_EQ(humanCount(1'500'000'000), "1.5 G");
}

TEST(Units, SharesTellNothingFromLittle) {
  EXPECT_EQ(humanShare(0, 10), "0 %");
  EXPECT_EQ(humanShare(1, 100'000), "<0.1 %");
  EXPECT_EQ(humanShare(10, 10), "100 %");
  EXPECT_EQ(humanShare(0, 0), "-");
}

TEST(Units, LifetimesGoFromNanosecondsToHours) {
  EXPECT_EQ(humanLifetime(999, Unit::Nanoseconds, true), "999 ns");
  EXPECT_EQ(humanLifetime(1500, Unit::Nanoseconds, true), "1.5 µs");
  EXPECT_EQ(humanLifetime(1500, Unit::Nanoseconds, false), "1.5 us");
  EXPECT_EQ(humanLifetime(999'999, Unit::Nanoseconds, true), "1.0 ms");
  EXPECT_EQ(humanLifetime(90'000'000'000, Unit::Nanoseconds, true), "90.0 s");
  EXPECT_EQ(humanLifetime(150'000'000'000, Unit::Nanoseconds, true), "2.5 min");
  EXPECT_EQ(humanLifetime(4096, Unit::Bytes, true), "4.0 KiB");
}

TEST(Units, DurationsAreParsedWithTheirUnits) {
  EXPECT_EQ(parseDuration("5s"), 5'000'000'000u);
  EXPECT_EQ(parseDuration("5"), 5'000'000'000u);
  EXPECT_EQ(parseDuration("1.5ms"), 1'500'000u);
  EXPECT_EQ(parseDuration("3us"), 3'000u);
  EXPECT_EQ(parseDuration("3µs"), 3'000u);
  EXPECT_EQ(parseDuration("2m"), 120'000'000'000u);
  EXPECT_EQ(parseDuration("90d"), 90 * 86'400'000'000'000u);
  EXPECT_EQ(parseDuration("4w"), 28 * 86'400'000'000'000u);
  for (const char *Bad : {"", "s", "-1s", "5x", "nan", "inf", "1e300s", "5 5s"})
    EXPECT_FALSE(parseDuration(Bad)) << Bad;
}

TEST(Units, SizesAreParsedInPowersOf1024) {
  EXPECT_EQ(parseBytes("17"), 17u);
  EXPECT_EQ(parseBytes("64k"), 65536u);
  EXPECT_EQ(parseBytes("1.5MiB"), 1572864u);
  EXPECT_EQ(parseBytes("2GB"), uint64_t{2} << 30);
  for (const char *Bad : {"", "k", "-1", "5kk", "1e30", "5 apples"})
    EXPECT_FALSE(parseBytes(Bad)) << Bad;
}

TEST(Glob, StarsAndQuestionMarks) {
  EXPECT_TRUE(matchesGlob("std::*", "std::vector<int>"));
  EXPECT_FALSE(matchesGlob("std::*", "mystd::vector"));
  EXPECT_TRUE(matchesGlob("*Foo*", "ns::Foo<int>"));
  EXPECT_TRUE(matchesGlob("a?c", "abc"));
  EXPECT_FALSE(matchesGlob("a?c", "ac"));
  EXPECT_TRUE(matchesGlob("*", ""));
  EXPECT_FALSE(matchesGlob("", "a"));
  EXPECT_FALSE(
      matchesGlob(std::string(200, '*') + "b", std::string(9999, 'a')));
}

} // namespace
