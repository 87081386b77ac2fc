//===- UnitFunctionsTest.cpp - Functions of a unit by address -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "debuginfo/ProgramFile.h"

#include <cstring>
#include <dwarf.h>
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <unistd.h>

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

/// The number of times that \p Do opens the file with the functions.
template <class Function> int opensOf(Function Do) {
  const int Watch = inotify_init1(IN_NONBLOCK);
  // Equal events in turn are one: a second open follows a close.
  EXPECT_GE(inotify_add_watch(Watch, INMEM_FUNCTIONS, IN_OPEN | IN_CLOSE), 0);
  Do();
  int Out = 0;
  alignas(inotify_event) char Events[4096]; // of a file: none has a name
  for (ssize_t Got; (Got = read(Watch, Events, sizeof Events)) > 0;)
    for (ssize_t At = 0; At < Got; At += sizeof(inotify_event)) {
      inotify_event One;
      std::memcpy(&One, Events + At, sizeof One);
      Out += (One.mask & IN_OPEN) != 0;
    }
  close(Watch);
  return Out;
}

TEST_F(UnitFunctionsTest, TheFileIsOpenedOnce) {
  const uint64_t At = addressOf("within");
  EXPECT_EQ(opensOf([] {}), 0);
  EXPECT_EQ(opensOf([&] {
              ProgramFile Other;
              EXPECT_TRUE(Other.open(INMEM_FUNCTIONS, "", ""));
              Dwarf_Die *Unit = Other.unitAt(At);
              ASSERT_NE(Unit, nullptr);
              EXPECT_TRUE(Other.linesOf(*Unit).at(At));
            }),
            1);
}

TEST_F(UnitFunctionsTest, UnitsThatWereForgottenAreReadAgain) {
  const uint64_t At = addressOf("within");
  const Names Before = namesAt(At);
  File.trim();
  EXPECT_EQ(namesAt(At), Before);
}

} // namespace
