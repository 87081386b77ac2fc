//===- AdviceTest.cpp - Cases that advice fits, and names in it -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FindingsFixture.h"

#include "report/text/TextReport.h"

#include <array>
#include <gmock/gmock.h>

using namespace inmem::report;
using namespace inmem::test;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

TEST_F(FindingsTest, AdviceKnowsWhetherBlocksOutliveTheirFunction) {
  SiteResult &S = site("long", 8, 5000, 200000);
  S.Alias = "std::vector<long> buffer";
  S.Sum.Temporary = S.Sum.Frees = 5000;
  EXPECT_EQ(only().Advice, "reuse one container and clear() it, outside of the "
                           "loop or the caller's");
  StackFrame F;
  F.Where = {"g()", "a.cpp", 9, 0};
  P.Calls.Frames.push_back(F);
  F.Where = S.Where;
  P.Calls.Frames.push_back(F);
  FreeResult R;
  R.Frees = 5000;
  R.Freeing = {0};
  P.Frees = {R};
  EXPECT_THAT(only().Advice, HasSubstr("fill a container of the caller's"));
  P.Frees[0].Freeing = {0, 1};
  EXPECT_THAT(only().Advice, HasSubstr("outside of the loop and clear() it"));
  P.Frees.push_back(R);
  EXPECT_THAT(only().Advice, HasSubstr("reuse one container"));
}

TEST_F(FindingsTest, AWrapperNamesItsCallers) {
  SiteResult &S = site("Foo", 40, 5000, 200000);
  S.Kind = "malloc";
  S.Sum.LiveAllocations = 5000;
  S.Sum.LiveBytes = 200000;
  StackFrame F;
  for (const char *Function : {"f()", "parse(int)", "load()"}) {
    F.Where = {Function, "a.cpp", 9, 0};
    P.Calls.Frames.push_back(F);
  }
  for (const uint32_t Caller : {1, 2}) {
    StackResult R;
    R.Frames = {Caller, 0};
    R.Sum.Allocations = R.Sum.LiveAllocations = Caller == 1 ? 4000 : 1000;
    P.Calls.Stacks.push_back(R);
  }
  EXPECT_EQ(nameOf(only().Rule), "alive-at-end");
  EXPECT_THAT(only().Message, HasSubstr("; for parse 80.0 %, load 20.0 %"));
  // Which of the blocks: all that parse() allocated are gone.
  P.Calls.Stacks[0].Sum.LiveAllocations = 0;
  EXPECT_THAT(only().Message, Not(HasSubstr("; for")));
  S.Sum.LiveAllocations = S.Sum.LiveBytes = 0;
  S.Sum.Temporary = 5000;
  EXPECT_THAT(only().Message, HasSubstr("; for parse 80.0 %, load 20.0 %"));
  EXPECT_EQ(only().Advice,
            "let each caller keep it on its stack, or reuse one buffer");
  // Callers that were inlined are known without stacks.
  P.Calls.Stacks.clear();
  P.Sites.push_back(P.Sites[0]);
  P.Types[0].Sites.push_back(1);
  for (const size_t I : {0, 1})
    P.Sites[I].Chain = {P.Sites[I].Where,
                        {I ? "load()" : "parse(int)", "b.cpp", 3, 0}};
  EXPECT_THAT(only().Message, HasSubstr("; for load 50.0 %, parse 50.0 %"));
}

TEST_F(FindingsTest, LargeBlocksAreNotForTheStack) {
  SiteResult &S = site("Block", 1024, 5000, 5000 * 1024);
  S.Sum.Temporary = 5000;
  EXPECT_THAT(only().Advice, HasSubstr("on the stack"));
  S.Sum.AllocatedBytes = 5000 * 41984;
  EXPECT_EQ(only().Advice, "keep one block of 41.0 KiB across calls, and make "
                           "it larger where it is too small");
}

TEST_F(FindingsTest, BlocksHaveOneFindingOfAllTheirRules) {
  // For a type and for one of its sites.
  site("std::_Rb_tree_node<int>", 40, 5000, 200000).Sum.Temporary = 3000;
  P.Types.back().Alias = "std::set<int> node";
  P.Types.back().PeakLiveBytes = 4000;
  EXPECT_EQ(nameOf(only().Rule), "node-churn");
  P.Types.back().PeakLiveBytes = 190000;
  EXPECT_EQ(nameOf(only().Rule), "temporary");
  // Live blocks and freed ones are different blocks.
  P.Sites[0].Sum.LiveAllocations = 1000;
  P.Sites[0].Sum.LiveBytes = 40000;
  EXPECT_THAT(rules(),
              testing::UnorderedElementsAre("temporary", "alive-at-end"));
}

TEST_F(FindingsTest, SeverityOfARegrowthIsNotTheClocks) {
  // One run times lives so, another otherwise; blocks and bytes are equal.
  std::vector<double> Stakes;
  for (const bool Apart : {false, true}) {
    P.Types.clear();
    P.Sites.clear();
    SiteResult &S = site("long", 8, 0, 0);
    S.Alias = "std::vector<long> buffer";
    S.Chain = {inVector("_M_realloc_append<long>(long&&)"),
               {"f()", "a.cpp", 1, 1}};
    std::vector<Bucket> Lifetimes;
    for (uint64_t I = 0; I < 8; ++I) {
      const uint64_t From = Apart ? 100 * I : 100 * (I / 4);
      const uint64_t Blocks = I < 5 ? 200 : 20;
      if (!Lifetimes.empty() && Lifetimes.back().From == From) {
        Lifetimes.back().Count += Blocks;
        Lifetimes.back().Bytes += Blocks * (8 << I);
      } else {
        Lifetimes.push_back({From, From + 100, Blocks, Blocks * (8 << I)});
      }
    }
    S.Life.Lifetimes = Histogram(std::move(Lifetimes));
    S.Sum.Allocations = S.Sum.Frees = S.Life.Lifetimes.count();
    S.Sum.AllocatedBytes = S.Sum.FreedBytes = S.Life.Lifetimes.bytes();
    S.Sizes = SizeGroups::of(S.Life.Lifetimes, S.Sum);
    EXPECT_EQ(nameOf(only().Rule), "vector-regrowth");
    Stakes.push_back(only().Stake);
  }
  EXPECT_EQ(Stakes[0], Stakes[1]);
}

TEST_F(FindingsTest, ARegrowthOfUnknownElementsIsInBytes) {
  // 20 vectors of 1 to 128 elements of 40 bytes, without instrumentation.
  SiteResult &S = site("P", 40, 0, 0);
  S.Kind = "caller";
  S.Alias = "std::vector<P> buffer";
  S.Chain = {inVector("_M_realloc_append<P>(P&&)"), {"f()", "a.cpp", 1, 1}};
  std::vector<Bucket> Lifetimes;
  for (uint64_t I = 0; I < 8; ++I)
    Lifetimes.push_back({100 * I, 100 * I + 100, 20, uint64_t{20 * 40} << I});
  S.Life.Lifetimes = Histogram(std::move(Lifetimes));
  S.Sum.Allocations = S.Sum.Frees = S.Life.Lifetimes.count();
  S.Sum.AllocatedBytes = S.Sum.FreedBytes = S.Life.Lifetimes.bytes();
  S.Sizes = SizeGroups::of(S.Life.Lifetimes, S.Sum);
  EXPECT_THAT(only().Message, HasSubstr("p99 128 elements"));
  EXPECT_EQ(only().Advice, "reserve(128) before it is filled");
  P.Types[0].Size.reset();
  const Finding F = only();
  EXPECT_EQ(nameOf(F.Rule), "vector-regrowth");
  EXPECT_THAT(F.Message, HasSubstr("160 blocks for about 20 vectors"));
  EXPECT_THAT(F.Message, HasSubstr("final size p50 5.0 KiB, p99 5.0 KiB"));
  EXPECT_EQ(F.Advice, "reserve what it will hold before it is filled");
  EXPECT_FALSE(F.Ends);
  EXPECT_EQ(F.Reserve, 0u);
  EXPECT_NEAR(static_cast<double>(F.SavesAllocations), 140, 14);
}

TEST_F(FindingsTest, DetailsHaveTheSizeOfABlock) {
  site("Header", 40, 100, 409600);
  EXPECT_THAT(printText(P, {}, {}), HasSubstr("4.0 KiB a block"));
  P.Types[0].Sum.AllocatedBytes = 4000;
  EXPECT_THAT(printText(P, {}, {}), HasSubstr("40 bytes each"));
}

TEST_F(FindingsTest, NodesOfKeysThatExist) {
  for (const auto &[Alias, Function, Advice] :
       std::initializer_list<std::array<const char *, 3>>{
           {"std::set<Edge*> node",
            "std::_Rb_tree<Edge*, Edge*>::_M_emplace_unique<Edge*&>(Edge*&)",
            "insert() the key"},
           {"std::unordered_map<int, Foo> node",
            "std::_Hashtable<int>::_M_emplace<int, Foo>(int&&, Foo&&)",
            "try_emplace()"},
           {"std::map<int, Foo> node",
            "std::__tree<int>::__emplace_unique_impl<int, Foo>(int&&, Foo&&)",
            "try_emplace()"}}) {
    P.Types.clear();
    P.Sites.clear();
    SiteResult &S = site("Node", 40, 3000, 120000);
    P.Types[0].Alias = Alias;
    S.Sum.Temporary = 1000; // 2000 keys were new
    EXPECT_TRUE(findingsOf(P, kAll).empty());
    S.Where = {Function, "/usr/include/c++/12/bits/hashtable.h", 7, 1};
    S.Caller = {"visit()", "a.cpp", 9, 3};
    const Finding F = only();
    EXPECT_EQ(nameOf(F.Rule), "temporary");
    EXPECT_EQ(F.SavesAllocations, 1000u);
    EXPECT_EQ(F.SavesBytes, 40000u);
    EXPECT_EQ(F.Where.File, "a.cpp");
    EXPECT_THAT(F.Message, HasSubstr("1000 of 3000 nodes freed before the "
                                     "thread allocated again: emplace()"));
    EXPECT_THAT(F.Advice, HasSubstr(Advice));
    // Inlined, too.
    S.Chain = {{"operator new", "/usr/include/new", 1, 1},
               S.Where,
               {"visit()", "a.cpp", 9, 3}};
    S.Where = S.Chain[2];
    S.Caller.reset();
    EXPECT_EQ(only().SavesAllocations, 1000u);
  }
  // operator[] looks first, and other containers keep equal keys.
  P.Sites[0].Chain[1].Function = "std::_Rb_tree<int>::_M_emplace_hint_unique";
  EXPECT_TRUE(findingsOf(P, kAll).empty());
  P.Sites[0].Chain[1].Function = "std::_Hashtable<int>::_M_emplace<int>";
  EXPECT_EQ(only().SavesAllocations, 1000u);
  P.Types[0].Alias = "std::unordered_multiset<int> node";
  EXPECT_TRUE(findingsOf(P, kAll).empty());
}

TEST_F(FindingsTest, StreamsByWhoWritesToThem) {
  site("char", 1, 5000, 2560000);
  P.Calls.Frames.resize(4);
  P.Calls.Frames[0].Where = {"shop::print()", "shop.cpp", 7, 0};
  P.Calls.Frames[1].Where = {"std::basic_ostream<char>::operator<<(int)",
                             "/usr/include/c++/12/ostream", 1, 0};
  P.Calls.Frames[2].Where = {
      "std::basic_stringbuf<char>::overflow(int)", {}, 0, 0};
  P.Calls.Frames[3].Where = {"std::string::reserve(unsigned long)", {}, 0, 0};
  StackResult R;
  R.Frames = {0, 1, 2, 3};
  R.Sum.Allocations = 5000;
  R.Sum.AllocatedBytes = 2560000;
  P.Calls.Stacks = {R};
  const Finding F = only();
  EXPECT_EQ(nameOf(F.Rule), "stream-in-loop");
  EXPECT_EQ(F.Where.File, "shop.cpp");
  EXPECT_EQ(F.SavesAllocations, 4999u);
  EXPECT_EQ(F.SavesBytes, 2560000u - 512u);
  // The copy that str() hands out is not the stream's.
  P.Calls.Frames[2].Where.Function = "std::basic_stringbuf<char>::str() const";
  EXPECT_TRUE(rules().empty());
  // Nor is a block of the user's own, made below a stream.
  P.Calls.Frames[2].Where.Function =
      "std::basic_stringbuf<char>::overflow(int)";
  P.Calls.Frames[3].Where = {"own::reserve()", "own.cpp", 1, 0};
  EXPECT_TRUE(rules().empty());
}

// Fourteen doublings differ much more than these sizes do.
TEST_F(FindingsTest, SizesOfManyGrowthsDifferMuch) {
  SiteResult &S = site("long", 8, 0, 0);
  S.Alias = "std::vector<long> buffer";
  S.Chain = {inVector("_M_default_append(unsigned long)"),
             {"f()", "a.cpp", 1, 1}};
  const auto Allocates = [&S](const std::vector<uint64_t> &Sizes) {
    std::vector<Bucket> Lifetimes;
    for (const uint64_t Size : Sizes) {
      const uint64_t From = Lifetimes.size() * 100;
      Lifetimes.push_back({From, From + 100, 100, 100 * Size});
    }
    S.Life.Lifetimes = Histogram(std::move(Lifetimes));
    S.Sum.Allocations = S.Sum.Frees = S.Life.Lifetimes.count();
    S.Sum.AllocatedBytes = S.Sum.FreedBytes = S.Life.Lifetimes.bytes();
    S.Sizes = SizeGroups::of(S.Life.Lifetimes, S.Sum);
  };
  Allocates({2000, 4000, 8000, 23448});
  EXPECT_THAT(rules(), Not(Contains("vector-regrowth")));
  std::vector<uint64_t> Doubled;
  for (uint64_t Size = 8; Size < 8 << 14; Size *= 2)
    Doubled.push_back(Size);
  Allocates(Doubled);
  EXPECT_THAT(rules(), Contains("vector-regrowth"));
}

namespace {

/// A site at which a vector's push_back() was inlined.
void pushesAt(SiteResult &S, const char *Function, uint32_t Line,
              const std::vector<uint64_t> &Sizes) {
  S.Alias = "std::vector<long> buffer";
  S.Where = {Function, "a.cpp", Line, 1};
  S.Chain = {inVector("_M_realloc_append<long>(long&&)"), S.Where};
  allocates(S, Sizes, 100);
}

} // namespace

TEST_F(FindingsTest, LinesAtWhichOneContainerGrowsAreOneFinding) {
  pushesAt(site("long", 8, 0, 0), "f()", 7, {8, 16, 32, 64, 128});
  SiteResult Second = P.Sites[0];
  pushesAt(Second, "f()", 9, {256, 512, 1024, 2048, 4096});
  P.Sites.push_back(Second);
  const Finding F = only();
  EXPECT_EQ(F.Sites.size(), 2u);
  EXPECT_EQ(F.Where.Line, 7u); // where it begins to grow
  EXPECT_EQ(F.Allocations, 1000u);
  EXPECT_NEAR(static_cast<double>(F.SavesAllocations), 900, 2);
  EXPECT_THAT(F.Message, HasSubstr("1000 blocks for about 100 vectors"));
  EXPECT_THAT(F.Message, HasSubstr("final size p50 512, p99 512"));
  // Whatever order the sites have.
  std::swap(P.Sites[0], P.Sites[1]);
  EXPECT_EQ(only().Where.Line, 7u);
  EXPECT_EQ(only().Allocations, 1000u);
  // Another function's, of the same name in another file, is another one.
  P.Sites[0].Where.File = P.Sites[0].Chain[1].File = "b.cpp";
  EXPECT_EQ(findingsOf(P, kAll).size(), 2u);
  P.Sites[0].Where = P.Sites[0].Chain[1] = {"n::f()", "a.cpp", 9, 1};
  EXPECT_EQ(findingsOf(P, kAll).size(), 2u);
}

TEST_F(FindingsTest, TwoContainersOfOneFunctionAreTwoFindings) {
  pushesAt(site("long", 8, 0, 0), "f()", 7, {8, 16, 32, 64, 128});
  SiteResult Second = P.Sites[0];
  pushesAt(Second, "f()", 9, {8, 16, 32, 64, 128, 256});
  P.Sites.push_back(Second);
  const auto All = findingsOf(P, kAll);
  ASSERT_EQ(All.size(), 2u);
  EXPECT_EQ(All[0].Where.Line, 9u);
  EXPECT_THAT(All[0].Message, HasSubstr("p99 32 elements"));
  EXPECT_THAT(All[1].Message, HasSubstr("p99 16 elements"));
}

TEST_F(FindingsTest, WithoutInliningTheCallersSayThatAVectorGrows) {
  SiteResult &S = site("long", 8, 0, 0);
  allocates(S, {8, 16, 32, 64, 128}, 100);
  S.Alias = "std::vector<long> buffer";
  S.Where = inVector("_M_allocate(unsigned long)");
  S.Chain = {S.Where};
  S.Caller = {"f()", "a.cpp", 7, 1};
  EXPECT_THAT(rules(), Not(Contains("vector-regrowth")));
  S.Callers = {inVector("_M_realloc_insert<long>(long&&)"),
               inVector("push_back(long&&)"), *S.Caller};
  const Finding F = only();
  EXPECT_EQ(nameOf(F.Rule), "vector-regrowth");
  EXPECT_EQ(F.Where.Line, 7u);
  EXPECT_NEAR(static_cast<double>(F.SavesAllocations), 400, 2);
  S.Callers[0] = inVector("reserve(unsigned long)");
  EXPECT_THAT(rules(), Not(Contains("vector-regrowth")));
}

TEST_F(FindingsTest, AStringThatIsShortAtFirstHasOneFinding) {
  site("char", 1, 2000, 2000 * 31).Alias = "std::string buffer";
  SiteResult Later = P.Sites[0];
  Later.Where.Line = 4;
  allocates(Later, {137}, 2000);
  Later.Sum.Temporary = 2000;
  P.Sites.push_back(Later);
  EXPECT_EQ(nameOf(only().Rule), "temporary");
  // Another function, with more at stake, has another string.
  P.Sites[1].Where.Function = "g()";
  EXPECT_THAT(rules(), Contains("string-above-inline"));
  P.Sites[1].Where.Function = "f()";
  allocates(P.Sites[0], {31}, 1500);
  EXPECT_EQ(findingsOf(P, kAll).size(), 2u); // not as many: another variable
  allocates(P.Sites[0], {31}, 20000);
  P.Totals.Allocations = 100000;
  EXPECT_THAT(rules(), Contains("string-above-inline"));
}

/// Two calls on one line, each with its column, and one on another line.
TEST_F(FindingsTest, CallsOnOneLineAreOneFinding) {
  const auto Made = [&](uint32_t Line, uint32_t Column) -> SiteResult & {
    SiteResult &S = site("char", 1, 500, 500 * 21);
    S.Where.Line = Line;
    S.Where.Column = Column;
    S.Type = 0;
    return S;
  };
  const auto Twice = [&](std::string_view Rule, uint64_t Both) {
    const auto All = findingsOf(P, kAll);
    ASSERT_EQ(All.size(), 2u) << Rule;
    EXPECT_EQ(nameOf(All[0].Rule), Rule);
    EXPECT_THAT(All[0].Sites, testing::ElementsAre(0u, 1u));
    EXPECT_EQ(All[0].Allocations, Both);
    EXPECT_EQ(All[0].Where.Line, 7u);
    EXPECT_THAT(All[1].Sites, testing::ElementsAre(2u));
  };
  for (const auto &[Line, Column] :
       {std::pair(7u, 3u), std::pair(7u, 30u), std::pair(9u, 3u)})
    Made(Line, Column).Alias = "std::string buffer";
  Twice("string-above-inline", 1000);
  for (SiteResult &S : P.Sites) {
    S.Alias.clear();
    S.Kind = "exception";
    S.Sum.Allocations = 700; // one call throws too seldom
  }
  P.Sites[2].Sum.Allocations = 1000;
  Twice("exceptions", 1400);
  for (SiteResult &S : P.Sites) {
    S.Kind = "new";
    S.Sum.LiveAllocations = 300;
    S.Sum.LiveBytes = 20000;
  }
  Twice("alive-at-end", 600);
  for (size_t I = 0; I < P.Sites.size(); ++I) {
    P.Sites[I].Sum.LiveAllocations = P.Sites[I].Sum.LiveBytes = 0;
    FreeResult R;
    R.Site = I;
    R.AllocatedIn.Index = 1;
    R.FreedIn.Index = 2;
    R.Frees = 400;
    R.FreedBytes = 160000;
    P.Frees.push_back(R);
  }
  Twice("freed-elsewhere", 800);
}
