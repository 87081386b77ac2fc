//===- ObjectsTest.cpp - Objects by counters, and as they were followed ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProfileOf.h"
#include "support/SampleTrace.h"

#include "report/formats/Reports.h"

#include <nlohmann/json.hpp>

using namespace inmem;
using namespace inmem::report;
using namespace inmem::test;

namespace {

/// Ten of Foo were made at line 1 and as many at line 2, and some destroyed; as
/// followed, \p First and \p Second of them have not been.
nlohmann::json objects(unsigned Destroyed, unsigned First, unsigned Second) {
  const auto Row = [](int Site, unsigned Alive) {
    const std::string Gone = std::to_string(10 - Alive);
    return " row site=" + std::to_string(Site) +
           " type=1 allocations=10 bytes=160 frees=" + Gone +
           " freed-bytes=" + std::to_string(160 - 16 * Alive) +
           " timed=" + Gone + " weighted-timed=" + Gone + "\n";
  };
  const std::string Text =
      "header state=complete pid=7\nextent meta\n"
      " type index=1 id=1 size=16 flags=136 name=\"Foo\"\n"
      " site id=1 type=1 kind=object cookie=17 function=\"f\" line=1\n"
      " site id=2 type=1 kind=object cookie=18 function=\"f\" line=2\n"
      " object module=1 cell=0 type=1 event=constructed storage=heap "
      "manner=default class=\"Foo\" function=\"f\" line=1\n"
      " object module=1 cell=0 type=1 event=constructed storage=stack "
      "manner=default class=\"Foo\" function=\"f\" line=2\n"
      " object module=1 cell=1 type=1 event=destroyed class=\"Foo\"\n"
      "extent rows owner=1\n" +
      Row(1, First) + Row(2, Second) +
      "extent types\n total\n total peak=16\n"
      "extent counters owner=1 module=1\n counts 10 " +
      std::to_string(Destroyed) + "\n";
  return nlohmann::json::parse(
      printJson(profileOf(readText(Text), {}), View()))["types"][0]["objects"];
}

nlohmann::json aliveBySite(const nlohmann::json &Objects) {
  nlohmann::json Out;
  for (const auto &Site : Objects["sites"])
    Out.push_back(Site["alive"]);
  return Out;
}

} // namespace

TEST(Objects, OfOneReportAreTheSameByTypeAndBySite) {
  const auto Agreed = objects(17, 2, 1);
  EXPECT_EQ(Agreed["alive"], 3);
  EXPECT_EQ(aliveBySite(Agreed), (nlohmann::json{2, 1}));
  EXPECT_EQ(Agreed["destroyed_in"]["heap"], 8);
  EXPECT_EQ(Agreed["destroyed_in"]["unknown"], 0);
  // Fewer are followed: others were made where they are not.
  EXPECT_EQ(aliveBySite(objects(15, 2, 1)), (nlohmann::json{2, 1}));
}

// Objects that were moved as bytes are destroyed where none was made.
TEST(Objects, ThoseFollowedAreNoMoreThanThoseCounted) {
  const auto Moved = objects(18, 6, 0);
  EXPECT_EQ(Moved["alive"], 2);
  EXPECT_EQ(aliveBySite(Moved), (nlohmann::json{2, 0}));
  EXPECT_EQ(Moved["destroyed_in"]["heap"], 4);
  EXPECT_EQ(Moved["destroyed_in"]["stack"], 10);
  EXPECT_EQ(Moved["destroyed_in"]["unknown"], 4);
  // Which of them are those, nothing says.
  EXPECT_EQ(aliveBySite(objects(18, 6, 1)), (nlohmann::json{nullptr, nullptr}));
  EXPECT_EQ(aliveBySite(objects(20, 6, 1)), (nlohmann::json{0, 0}));
}

TEST(Objects, AsManyAsAreAliveWereAliveAtTheirPeak) {
  EXPECT_EQ(objects(10, 5, 5)["peak_alive"], 10);
}
