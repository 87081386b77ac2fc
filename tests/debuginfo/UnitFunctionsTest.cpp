//===- UnitFunctionsTest.cpp - Functions of a unit by address -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "debuginfo/ProgramFile.h"

#include <dwarf.h>
#include <gtest/gtest.h>

using namespace inmem::debuginfo;

namespace {

struct UnitFunctionsTest : testing::Test {
  ProgramFile File;

  void SetUp() override { ASSERT_TRUE(File.open(INMEM_FUNCTIONS, "", "")); }

  uint64_t addressOf(std::string_view Name) {
    // Symbols of several megabytes do not occur in this file.
    for (uint64_t At = 0; At < (1 << 20); ++At)
      for (const char *One : File.symbolsStartingAt(At))
        if (One == Name)
          return At;
    return 0;
  }

  std::vector<std::string> namesAt(uint64_t Address) {
    std::vector<std::string> Out;
    if (Dwarf_Die *Unit = File.unitAt(Address))
      for (Dwarf_Die &Scope : File.functionsOf(Unit).scopesAt(Address))
        Out.emplace_back(dwarf_diename(&Scope));
    return Out;
  }
};

using Names = std::vector<std::string>;

TEST_F(UnitFunctionsTest, AMemberDefinedOutsideOfItsClassIsFound) {
  const uint64_t At = addressOf("_ZN5outer5Class6memberEi");
  ASSERT_NE(At, 0U);
  EXPECT_EQ(namesAt(At), (Names{"member"}));
}

TEST_F(UnitFunctionsTest, CallsInlinedThereFollowOutermostFirst) {
  const uint64_t At = addressOf("within");
  ASSERT_NE(At, 0U);
  EXPECT_EQ(namesAt(At), (Names{"member", "inlined"}));
}

TEST_F(UnitFunctionsTest, TheByteBehindAFunctionBelongsToNone) {
  const uint64_t At = addressOf("plain");
  ASSERT_NE(At, 0U);
  const auto *Symbol = File.symbolAt(At);
  ASSERT_NE(Symbol, nullptr);
  EXPECT_EQ(namesAt(Symbol->End - 1), (Names{"plain"}));
  EXPECT_EQ(namesAt(Symbol->End), Names{});
}

} // namespace
