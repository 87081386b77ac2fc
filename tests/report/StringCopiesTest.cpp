//===- StringCopiesTest.cpp -----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the compiler says of strings that are only read, joined with what was
// allocated: places that must be found, and places like them that must not.
#include "report/findings/Findings.h"

#include "inmem/abi.h"
#include "support/SampleTrace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace inmem::report;
using testing::HasSubstr;

namespace {

constexpr uint32_t kLine = 9;
constexpr uint64_t kKey = 77;
const SourceLocation kUser = {"shop::print()", "src/shop.cpp", kLine, 5};
const SourceLocation kConstructor = {
    "std::basic_string<char, std::char_traits<char>, "
    "std::allocator<char>>::basic_string(std::basic_string<char, "
    "std::char_traits<char>, std::allocator<char>> const&)",
    "/usr/include/c++/12/bits/basic_string.h", 400, 0};
const SourceLocation kCreate = {
    "std::string::_M_create(unsigned long&, unsigned long)",
    "/usr/include/c++/12/bits/basic_string.tcc", 155, 0};

class StringCopiesTest : public testing::Test {
protected:
  StringCopiesTest() {
    P.Totals.Allocations = 10000;
    P.Totals.AllocatedBytes = 1000000;
    TypeResult T;
    T.Name = "char";
    T.Sum.Allocations = 5000;
    T.Sum.AllocatedBytes = 200000;
    SiteResult S;
    S.Sum = T.Sum;
    S.Alias = "std::string buffer";
    S.Where = kUser;
    S.Chain = {kCreate, kConstructor, kUser};
    T.Sites.push_back(0);
    P.Types.push_back(std::move(T));
    P.Sites.push_back(std::move(S));
    P.StringCopies = {{kUser, "Copy", 0, INMEM_COPY_VARIABLE,
                       INMEM_COPY_VIEW | INMEM_COPY_REFERENCE}};
  }

  /// Blocks whose stack is of \p Inner below the user's function.
  void recordStack(std::initializer_list<SourceLocation> Inner) {
    P.Sites[0].Where = kCreate;
    P.Sites[0].Chain = {kCreate};
    P.Calls = {};
    StackResult R;
    R.Sum = P.Sites[0].Sum;
    const auto Add = [&](SourceLocation At) {
      At.Column = 0;
      R.Frames.push_back(static_cast<uint32_t>(P.Calls.Frames.size()));
      P.Calls.Frames.emplace_back().Where = std::move(At);
    };
    Add({"main", "src/main.cpp", 3, 0});
    Add(kUser);
    for (const SourceLocation &At : Inner)
      Add(At);
    P.Calls.Stacks = {R};
  }
  /// The parameter of some function, for which what is at the site is made.
  void passArgument(uint8_t Argument, uint8_t Parameter) {
    P.StringCopies = {{{"", kUser.File, kLine, kUser.Column},
                       "",
                       kKey,
                       INMEM_COPY_ARGUMENT,
                       Argument},
                      {{"take(std::string)", "src/take.cpp", 2, 1},
                       "Text",
                       kKey,
                       INMEM_COPY_PARAMETER,
                       Parameter}};
  }
  std::optional<Finding> found() const {
    for (const Finding &F : findingsOf(P, ~size_t{0}))
      if (nameOf(F.Rule) == "string-copies")
        return F;
    return std::nullopt;
  }

  Profile P;
};

TEST_F(StringCopiesTest, FoundWhereTheSiteIsInTheUsersFunction) {
  const auto F = found();
  ASSERT_TRUE(F);
  EXPECT_EQ(F->Where, kUser);
  EXPECT_EQ(F->SavesAllocations, 5000u);
  EXPECT_EQ(F->SavesBytes, 200000u);
  EXPECT_THAT(F->Message, HasSubstr("copied into Copy"));
  EXPECT_THAT(F->Advice, HasSubstr("std::string_view"));
  // Where it is the other of two strings on the line.
  P.Sites[0].Chain.back().Column = 30;
  EXPECT_FALSE(found());
  P.StringCopies[0].Flags |= INMEM_COPY_ALONE;
  EXPECT_TRUE(found());
  P.Sites[0].Chain.back().Line = kLine + 1;
  EXPECT_FALSE(found());
}

TEST_F(StringCopiesTest, SilentWithoutEnoughBlocks) {
  P.Sites[0].Sum.Allocations = 50;
  P.Sites[0].Sum.AllocatedBytes = 2000;
  EXPECT_FALSE(found());
}

TEST_F(StringCopiesTest, SilentWhereAStringGrowsThere) {
  P.Sites[0].Chain = {kCreate,
                      {"std::string::_M_append(char const*, unsigned long)",
                       "/usr/include/c++/12/bits/basic_string.tcc", 1, 0},
                      kUser};
  EXPECT_FALSE(found());
  // Or the block is of no string at all.
  P.Sites[0].Chain = {{"std::vector<int>::push_back(int const&)",
                       "/usr/include/c++/12/bits/stl_vector.h", 1, 0},
                      kUser};
  EXPECT_FALSE(found());
  P.Sites[0].Chain = {kUser};
  EXPECT_FALSE(found());
}

TEST_F(StringCopiesTest, FoundByCallers) {
  recordStack({kConstructor, kCreate});
  EXPECT_FALSE(found()); // stacks have no columns
  P.StringCopies[0].Flags |= INMEM_COPY_ALONE;
  const auto F = found();
  ASSERT_TRUE(F);
  EXPECT_EQ(F->Where, kUser);
  EXPECT_EQ(F->SavesAllocations, 5000u);
  // The library has no symbols for what its constructor calls.
  recordStack({kConstructor, {"libc++.so.1+0x10", {}, 0, 0}});
  EXPECT_FALSE(found());
  P.Calls.Frames.back().Module = "libc++.so.1";
  P.Calls.Frames.back().Offset = 0x10;
  EXPECT_TRUE(found());
  // The stack has the file's whole path, or that of another file.
  recordStack({kConstructor, kCreate});
  P.Calls.Frames[1].Where.File = "/home/me/src/shop.cpp";
  EXPECT_TRUE(found());
  P.Calls.Frames[1].Where.File = "/home/me/src/workshop.cpp";
  EXPECT_FALSE(found());
  recordStack({{"std::map<std::string, int>::operator[](std::string const&)",
                "/usr/include/c++/12/bits/stl_map.h", 1, 0},
               kConstructor,
               kCreate});
  EXPECT_FALSE(found());
}

TEST_F(StringCopiesTest, ArgumentsBelongToTheirParameter) {
  passArgument(0, INMEM_COPY_VIEW | INMEM_COPY_REFERENCE);
  const auto F = found();
  ASSERT_TRUE(F);
  EXPECT_EQ(F->Where.File, "src/take.cpp");
  EXPECT_EQ(F->SavesAllocations, 5000u);
  EXPECT_THAT(F->Message, HasSubstr("the parameter Text"));
  // A function that changes its parameter has no record of it.
  P.StringCopies.pop_back();
  EXPECT_FALSE(found());
}

TEST_F(StringCopiesTest, CharactersNeedAView) {
  passArgument(INMEM_COPY_CHARACTERS, INMEM_COPY_REFERENCE);
  EXPECT_FALSE(found());
  passArgument(0, INMEM_COPY_REFERENCE);
  EXPECT_EQ(found().value_or(Finding()).Advice, "take a const std::string &");
  passArgument(INMEM_COPY_CHARACTERS, INMEM_COPY_VIEW);
  EXPECT_EQ(found().value_or(Finding()).Advice, "take a std::string_view");
}

TEST_F(StringCopiesTest, SilentWhereTheFunctionMightChangeTheSource) {
  passArgument(INMEM_COPY_OUTSIDE, INMEM_COPY_VIEW | INMEM_COPY_OUTSIDE);
  EXPECT_FALSE(found());
  passArgument(0, INMEM_COPY_VIEW | INMEM_COPY_OUTSIDE);
  EXPECT_TRUE(found());
  passArgument(INMEM_COPY_OUTSIDE, INMEM_COPY_VIEW);
  EXPECT_TRUE(found());
}

TEST_F(StringCopiesTest, AdviceIsThatOfTheSource) {
  const auto Advice = [&](uint8_t Flags) {
    P.StringCopies[0].Flags = Flags;
    return found().value_or(Finding()).Advice;
  };
  EXPECT_EQ(Advice(INMEM_COPY_REFERENCE),
            "a const reference to its source would do");
  EXPECT_EQ(Advice(INMEM_COPY_CHARACTERS | INMEM_COPY_VIEW),
            "a std::string_view would do");
  EXPECT_EQ(Advice(INMEM_COPY_CHARACTERS | INMEM_COPY_CONSTANT),
            "make it static const");
}

TEST_F(StringCopiesTest, TracesHaveThemOnceEach) {
  const std::vector<inmem::trace::Trace> Two(
      2, inmem::test::readText(inmem::test::kEverything));
  const auto Read = buildProfile(Two);
  ASSERT_TRUE(Read) << Read.status().str();
  ASSERT_EQ(Read->StringCopies.size(), 2u);
  const StringCopy &First = Read->StringCopies[0];
  EXPECT_EQ(First.Where, (SourceLocation{"make", "a.cpp", 5, 7}));
  EXPECT_EQ(First.Name, "Copy");
  EXPECT_EQ(First.Flags, INMEM_COPY_VIEW | INMEM_COPY_ALONE);
  EXPECT_EQ(Read->StringCopies[1].Key, 0x77u);
  EXPECT_EQ(Read->StringCopies[1].Kind, INMEM_COPY_ARGUMENT);
}

} // namespace
