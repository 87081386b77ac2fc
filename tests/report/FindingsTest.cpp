//===- FindingsTest.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each rule on figures that it must speak of, and on figures like them of which
// it must not. Whether what it promises comes true: examples/advice,
// bench/advice.
#include "FindingsFixture.h"

#include "report/formats/Reports.h"
#include "report/text/TextReport.h"

#include "inmem/abi.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace inmem::report;
using namespace inmem::test;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

namespace {

/// Blocks that push_back() of N elements allocates, for M vectors.
struct Pushed {
  uint64_t Blocks = 0, Bytes = 0;
  Pushed(uint64_t Vectors, uint64_t Elements, uint64_t Size) {
    for (uint64_t Capacity = 1;; Capacity *= 2) {
      Blocks += Vectors;
      Bytes += Vectors * Capacity * Size;
      if (Capacity >= Elements)
        return;
    }
  }
};

} // namespace

TEST_F(FindingsTest, AnEmptyProfileHasNone) {
  EXPECT_TRUE(findingsOf(Profile(), kAll).empty());
}

TEST_F(FindingsTest, VectorThatGrows) {
  const Pushed All(100, 1000, 8);
  SiteResult &S = site("long", 8, All.Blocks, All.Bytes);
  S.Alias = "std::vector<long> buffer";
  S.Chain = {
      {"std::vector<long, std::allocator<long> >::_M_realloc_insert<long>"
       "(long*, long&&)",
       "/usr/include/c++/12/bits/vector.tcc", 453, 0},
      {"f()", "a.cpp", 1, 1}};
  const Finding F = only();
  EXPECT_EQ(nameOf(F.Rule), "vector-regrowth");
  EXPECT_EQ(F.SavesAllocations, All.Blocks - 100);
  EXPECT_EQ(F.SavesBytes, All.Bytes - 100 * 1024 * 8);
  EXPECT_EQ(F.severity(), Severity::High);
  EXPECT_THAT(F.Advice, HasSubstr("reserve(1024)"));
  EXPECT_THAT(F.Message, HasSubstr("final size p50 1024, p99 1024 elements"));
  EXPECT_FALSE(F.CallerUnknown);
}

TEST_F(FindingsTest, AReserveIsForMostWhereTheFewLargestAreTooLarge) {
  SiteResult &S = site("long", 8, 0, 0);
  S.Alias = "std::vector<long> buffer";
  S.Chain = {inVector("_M_realloc_append<long>(long&&)"),
             {"f()", "a.cpp", 1, 1}};
  // 1000 end with room for 16 or more, 100 of them for 2048.
  std::vector<Bucket> Lifetimes;
  for (uint64_t Room = 1; Room <= 2048; Room *= 2) {
    const uint64_t Count = Room <= 16 ? 1000 : 100,
                   From = Lifetimes.size() * 100;
    Lifetimes.push_back({From, From + 100, Count, Count * Room * 8});
  }
  S.Life.Lifetimes = Histogram(std::move(Lifetimes));
  S.Sum.Allocations = S.Sum.Frees = S.Life.Lifetimes.count();
  S.Sum.AllocatedBytes = S.Sum.FreedBytes = S.Life.Lifetimes.bytes();
  S.Sizes = SizeGroups::of(S.Life.Lifetimes, S.Sum);
  P.Totals = S.Sum;
  const Finding F = only();
  ASSERT_TRUE(F.Ends);
  EXPECT_EQ(F.Ends->P50, 16u);
  EXPECT_EQ(F.Ends->P99, 2048u);
  EXPECT_THAT(F.Message, HasSubstr("final size p50 16, p99 2048 elements"));
  EXPECT_EQ(F.Advice, "reserve(16), or what each will hold");
  // Four growths of each are saved; 100 go on.
  EXPECT_NEAR(static_cast<double>(F.SavesAllocations), 4000, 20);
  EXPECT_NEAR(static_cast<double>(F.SavesBytes), 1000 * 15 * 8, 6000);
  const auto Json = nlohmann::json::parse(printJson(P, View()));
  EXPECT_EQ(Json["findings"][0]["final_size"]["p50"], 16);
  EXPECT_EQ(Json["findings"][0]["final_size"]["p99"], 2048);
}

TEST_F(FindingsTest, VectorsOfOneOrTwoElementsDoNotGrow) {
  const Pushed All(1000, 2, 8);
  site("long", 8, All.Blocks, All.Bytes).Chain = {
      {"std::vector<long>::_M_realloc_insert", "/usr/include/vector", 1, 0}};
  EXPECT_THAT(rules(), Not(Contains("vector-regrowth")));
}

TEST_F(FindingsTest, VectorThatWasReservedDoesNotGrow) {
  site("long", 8, 100, 800000).Chain = {
      {"std::vector<long>::reserve", "/usr/include/vector", 1, 0}};
  EXPECT_THAT(rules(), Not(Contains("vector-regrowth")));
}

TEST_F(FindingsTest, VectorsThatGetTheirSizeAtOnceDoNotGrow) {
  for (const char *Function :
       {"_M_default_append(unsigned long)", "_M_fill_insert", "_M_range_insert",
        "_M_realloc_insert<long>(long*, long&&)"}) {
    P.Types.clear();
    P.Sites.clear();
    SiteResult &S = site("long", 8, 0, 0);
    S.Alias = "std::vector<long> buffer";
    S.Chain = {inVector(Function), {"f()", "a.cpp", 1, 1}};
    // All of one size, whatever they lived.
    allocates(S, {8000, 8000, 8000}, 300);
    EXPECT_THAT(rules(), Not(Contains("vector-regrowth"))) << Function;
  }
  // Many sizes, each alive together.
  SiteResult &S = P.Sites[0];
  S.Chain[0] = inVector("_M_default_append(unsigned long)");
  allocates(S, {800, 1600, 2400, 3200, 4000, 4800, 5600, 6400, 7200, 8000},
            100);
  EXPECT_THAT(rules(), Not(Contains("vector-regrowth")));
  // Nothing is known of their sizes.
  S.Life = {};
  S.Sizes = {};
  EXPECT_THAT(rules(), Not(Contains("vector-regrowth")));
  // In steps.
  allocates(S, {8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192}, 100);
  EXPECT_THAT(rules(), Contains("vector-regrowth"));
}

TEST_F(FindingsTest, ABlockThatIsFreedAtOnceIsAContainerOfItsOwn) {
  const Pushed All(100, 1000, 8);
  SiteResult &S = site("long", 8, All.Blocks, All.Bytes);
  S.Chain = {inVector("_M_realloc_append<long>(long&&)")};
  S.Sum.Temporary = 100;
  EXPECT_THAT(rules(), Contains("vector-regrowth"));
  S.Sum.Temporary = All.Blocks - 10;
  EXPECT_THAT(rules(), Not(Contains("vector-regrowth")));
}

TEST_F(FindingsTest, StringsOfManyCallersAreNotPutTogether) {
  SiteResult &S = site("char", 1, 5000, 5000 * 200);
  S.Alias = "std::string buffer";
  S.Where = {"std::string::_M_mutate", "/usr/include/c++/12/string.tcc", 1, 0};
  EXPECT_THAT(rules(), Not(Contains("string-regrowth")));
  // But by caller, where that is recorded.
  S.Caller = {"table()", "t.cpp", 7, 0};
  S.Sum.Allocations = 8 * 300;
  S.Sum.AllocatedBytes = 300 * (31 + 61 + 121 + 241 + 481 + 961 + 1921 + 3841);
  // Text whose containers may have got their last size first.
  EXPECT_THAT(rules(), Not(Contains("string-regrowth")));
  S.Sum.Frees = S.Sum.Allocations;
  S.Sizes = SizeGroups::of(
      lifetimesOf({31, 61, 121, 241, 481, 961, 1921, 3841}, 300), S.Sum);
  const auto All = findingsOf(P, kAll);
  ASSERT_THAT(rules(), Contains("string-regrowth"));
  for (const Finding &F : All)
    if (nameOf(F.Rule) == "string-regrowth") {
      EXPECT_EQ(F.Where.File, "t.cpp");
      EXPECT_NEAR(static_cast<double>(F.SavesAllocations), 2100, 10);
    }
}

TEST_F(FindingsTest, StringsWhoseFirstBlockIsTheirLastDoNotGrow) {
  SiteResult &S = site("char", 1, 0, 0);
  S.Alias = "std::string buffer";
  S.Chain = {{"std::string::_M_append", "/usr/include/c++/12/string.tcc", 1, 0},
             {"std::string::_M_mutate", "/usr/include/c++/12/string.tcc", 2, 0},
             {"f()", "a.cpp", 1, 1}};
  const auto Allocates =
      [&](const std::vector<std::pair<uint64_t, uint64_t>> &All) {
        std::vector<Bucket> Lifetimes;
        Lifetimes.reserve(All.size());
        for (const auto &[Count, Size] : All) {
          const uint64_t From = Lifetimes.size() * 100;
          Lifetimes.push_back({From, From + 100, Count, Count * Size});
        }
        S.Life.Lifetimes = Histogram(std::move(Lifetimes));
        S.Sum.Allocations = S.Sum.Frees = S.Life.Lifetimes.count();
        S.Sum.AllocatedBytes = S.Sum.FreedBytes = S.Life.Lifetimes.bytes();
        S.Sizes = SizeGroups::of(S.Life.Lifetimes, S.Sum);
      };
  // Names of files, and a few lists of them.
  Allocates({{12000, 35},
             {9000, 48},
             {3000, 58},
             {100, 200},
             {100, 1000},
             {100, 3000},
             {100, 6000}});
  EXPECT_THAT(rules(), Not(Contains("string-regrowth")));
  // Strings that grow: each of the lengths is a half of the next.
  Allocates({{3000, 35}, {3000, 75}, {3000, 160}, {3000, 350}, {100, 6000}});
  EXPECT_THAT(rules(), Contains("string-regrowth"));
}

TEST_F(FindingsTest, FewBlocksBelongToOneContainerAtLeast) {
  // One string that reads a file: its first block is large.
  SiteResult &S = site("char", 1, 0, 0);
  S.Alias = "std::string buffer";
  S.Chain = {{"std::string::_M_mutate", "/usr/include/c++/12/string.tcc", 2, 0},
             {"f()", "a.cpp", 1, 1}};
  allocates(S, {4097, 65537, 1048577}, 1);
  const Finding F = only();
  EXPECT_EQ(nameOf(F.Rule), "string-regrowth");
  EXPECT_THAT(F.Message, HasSubstr("3 blocks for about 1 string,"));
}

TEST_F(FindingsTest, AFewLargeBlocksEndAtTheSizeThatDoublingThemGives) {
  SiteResult &S = site("char", 1, 0, 0);
  S.Alias = "std::string buffer";
  S.Chain = {{"std::string::_M_mutate", "/usr/include/c++/12/string.tcc", 2, 0},
             {"f()", "a.cpp", 1, 1}};
  allocates(S, {661, 1321, 2641, 5281, 10561, 21121}, 1);
  const Finding F = only();
  EXPECT_EQ(nameOf(F.Rule), "string-regrowth");
  EXPECT_NEAR(static_cast<double>(F.Reserve), 21120, 100);
  EXPECT_EQ(F.SavesAllocations, 5u);
  EXPECT_NEAR(static_cast<double>(F.SavesBytes),
              661 + 1321 + 2641 + 5281 + 10561, 200);
}

TEST_F(FindingsTest, Rehash) {
  SiteResult &S = site("std::__detail::_Hash_node_base *", 8, 0, 0);
  allocates(
      S,
      {8 * 13, 8 * 29, 8 * 59, 8 * 127, 8 * 257, 8 * 541, 8 * 1109, 8 * 2357},
      50);
  P.Types.back().Alias = "unordered container buckets";
  const Finding F = only();
  EXPECT_EQ(nameOf(F.Rule), "rehash");
  EXPECT_EQ(F.SavesAllocations, 350u);
  EXPECT_EQ(F.SavesBytes, S.Sum.AllocatedBytes - 50 * 8 * 2357);
  // All of one size, of growth's or not: they were reserved.
  for (const uint64_t Buckets : {2357, 1031, 709}) {
    allocates(S, {8 * Buckets, 8 * Buckets}, 50);
    EXPECT_THAT(rules(), Not(Contains("rehash")));
  }
  // To several sizes.
  allocates(S, {8 * 1031, 8 * 2053, 8 * 3089, 8 * 4111}, 50);
  EXPECT_THAT(rules(), Not(Contains("rehash")));
  S.Life = {};
  EXPECT_THAT(rules(), Not(Contains("rehash")));
}

TEST_F(FindingsTest, Temporaries) {
  SiteResult &S = site("Foo", 40, 5000, 200000);
  EXPECT_TRUE(findingsOf(P, kAll).empty());
  S.Sum.Temporary = 4000;
  const Finding F = only();
  EXPECT_EQ(nameOf(F.Rule), "temporary");
  EXPECT_EQ(F.SavesAllocations, 4000u);
  EXPECT_EQ(F.SavesBytes, 160000u);
  P.TemporaryKnown = false;
  EXPECT_TRUE(findingsOf(P, kAll).empty());
}

TEST_F(FindingsTest, NodesThatComeAndGo) {
  site("std::_Rb_tree_node<int>", 40, 5000, 200000);
  P.Types.back().Alias = "std::set<int> node";
  P.Types.back().PeakLiveBytes = 4000;
  const Finding F = only();
  EXPECT_EQ(nameOf(F.Rule), "node-churn");
  EXPECT_EQ(F.SavesAllocations, 4999u);
  EXPECT_EQ(F.SavesBytes, 196000u);
  P.Types.back().PeakLiveBytes = 200000; // They stay.
  EXPECT_TRUE(findingsOf(P, kAll).empty());
}

TEST_F(FindingsTest, LinesOfOneFunction) {
  site("Foo", 40, 1000, 40000).Sum.Temporary = 1000;
  SiteResult Second = P.Sites.front();
  Second.Where.Line = 9;
  Second.Sum.Allocations = Second.Sum.Temporary = 500;
  P.Sites.push_back(Second);
  auto Json = nlohmann::json::parse(printJson(P, View()));
  EXPECT_EQ(Json["findings"][0]["lines"],
            nlohmann::json::parse(R"([{"line": 1, "allocations": 1000},
                                      {"line": 9, "allocations": 500}])"));
  P.Sites.pop_back();
  Json = nlohmann::json::parse(printJson(P, View()));
  EXPECT_FALSE(Json["findings"][0].contains("lines"));
}

TEST_F(FindingsTest, DequesOfOneChunk) {
  site("int", 4, 1000, 512000).Alias = "std::deque<int> block";
  P.Sites.back().Sum.Temporary = 1000; // of which more is known
  site("int *", 8, 1000, 64000).Alias = "std::deque<int> map";
  P.Sites.back().Where = P.Sites.front().Where;
  const Finding F = only();
  EXPECT_EQ(nameOf(F.Rule), "short-deque");
  EXPECT_EQ(F.Alias, "std::deque<int>");
  EXPECT_EQ(F.Where.Line, 1u);
  EXPECT_EQ(F.SavesAllocations, 1000u);
  EXPECT_EQ(F.SavesBytes, 64000u);
  EXPECT_EQ(F.Allocations, 2000u);
  EXPECT_THAT(F.Message, HasSubstr("2 blocks"));
  // Long ones, and ones of another line.
  P.Sites.front().Sum.Temporary = 0;
  P.Sites.front().Sum.Allocations = 1200;
  EXPECT_TRUE(findingsOf(P, kAll).empty());
  P.Sites.front().Sum.Allocations = 1000;
  P.Sites.front().Where.Line = 7;
  EXPECT_EQ(only().SavesAllocations, 1000u); // empty, as libc++ makes them
  P.Sites.back().Alias = "std::deque<int> block";
  EXPECT_TRUE(findingsOf(P, kAll).empty());
}

TEST_F(FindingsTest, ControlBlocksOfTheirOwn) {
  site("std::_Sp_counted_ptr<Foo *>", 24, 500, 12000);
  P.Types.back().Alias = "std::shared_ptr<Foo> control block";
  const Finding F = only();
  EXPECT_EQ(nameOf(F.Rule), "shared-ptr-new");
  EXPECT_EQ(F.SavesAllocations, 500u);
  P.Types.back().Alias = "std::shared_ptr<Foo> object and control block";
  EXPECT_TRUE(findingsOf(P, kAll).empty());
}

TEST_F(FindingsTest, StringsJustTooLong) {
  SiteResult &S = site("char", 1, 500, 500 * 21);
  S.Alias = "std::string buffer";
  EXPECT_EQ(nameOf(only().Rule), "string-above-inline");
  EXPECT_THAT(only().Message, HasSubstr("room for 20 characters on average"));
  S.Sum.AllocatedBytes = 500 * 90;
  EXPECT_TRUE(findingsOf(P, kAll).empty());
}

TEST_F(FindingsTest, ExceptionsByTheThousand) {
  SiteResult &S = site("Odd", 4, 2000, 8000);
  S.Kind = "exception";
  EXPECT_EQ(nameOf(only().Rule), "exceptions");
  S.Sum.Allocations = 20;
  EXPECT_TRUE(findingsOf(P, kAll).empty());
}

TEST_F(FindingsTest, CopiesThatAllocate) {
  site("Document", 24, 0, 0);
  ObjectSite Copy;
  Copy.Where = {"g()", "b.cpp", 3, 1};
  Copy.Manner = INMEM_MANNER_COPY;
  Copy.Constructed = 1000;
  Copy.InnerAllocations = 1000;
  Copy.InnerBytes = 400000;
  P.Types.back().Objects.emplace().Sites.push_back(Copy);
  const Finding F = only();
  EXPECT_EQ(nameOf(F.Rule), "copies");
  EXPECT_EQ(F.SavesAllocations, 1000u);
  EXPECT_EQ(F.Where.File, "b.cpp");
  P.Types.back().Objects->Sites[0].InnerAllocations = 0;
  P.Types.back().Objects->Sites[0].InnerBytes = 0;
  EXPECT_TRUE(findingsOf(P, kAll).empty()); // A small value.
}

TEST_F(FindingsTest, Padding) {
  site("Particle", 40, 5000, 200000);
  EXPECT_TRUE(findingsOf(P, kAll).empty());
  P.Types.back().Packed = PackedResult{24, {"X", "Y", "Colour", "Alive"}};
  const Finding F = only();
  EXPECT_EQ(nameOf(F.Rule), "padding");
  EXPECT_EQ(F.SavesBytes, 80000u);
  EXPECT_THAT(F.Advice, HasSubstr("X, Y, Colour, Alive"));
}

TEST_F(FindingsTest, AliveAtTheEnd) {
  SiteResult &S = site("Foo", 40, 5000, 200000);
  S.Sum.LiveAllocations = 500;
  S.Sum.LiveBytes = 20000;
  EXPECT_EQ(nameOf(only().Rule), "alive-at-end");
  S.Kind = "caller"; // a library's
  EXPECT_TRUE(findingsOf(P, kAll).empty());
  S.Kind = "new";
  P.WholeRun = false; // It may be freed later.
  EXPECT_TRUE(findingsOf(P, kAll).empty());
}

TEST_F(FindingsTest, NeverDestroyed) {
  SiteResult &S = site("Foo", 40, 5000, 200000);
  S.Sum.LiveAllocations = P.Types[0].Sum.LiveAllocations = 500;
  S.Sum.LiveBytes = P.Types[0].Sum.LiveBytes = 20000;
  P.Types[0].Objects.emplace();
  P.Types[0].Objects->Heap = 5000;
  P.Types[0].Objects->Destroyed = 4500;
  P.Types[0].Objects->DestructorKnown = true;
  EXPECT_EQ(nameOf(only().Rule), "never-destroyed"); // and not alive-at-end too
  EXPECT_THAT(only().Message, HasSubstr("500 of 5000 objects"));
  // Nor where the class's destructor is not counted.
  P.Types[0].Objects->DestructorKnown = false;
  EXPECT_EQ(nameOf(only().Rule), "never-destroyed");
  P.Types[0].Objects->DestructorKnown = true;
  // Objects that make_shared put into blocks of their own.
  site("std::_Sp_counted_ptr_inplace<Foo>", 56, 300, 16800);
  P.Types[1].Alias = "std::shared_ptr<Foo> object and control block";
  P.Sites[1].Sum.LiveAllocations = P.Types[1].Sum.LiveAllocations = 300;
  P.Sites[1].Sum.LiveBytes = P.Types[1].Sum.LiveBytes = 16800;
  P.Types[0].Objects->Placed = 300;
  EXPECT_EQ(only().Allocations, 800u);
  EXPECT_EQ(only().Bytes, 36800u);
  P.Types.pop_back();
  P.Sites.pop_back();
  P.Types[0].Objects->Placed = 0;
  P.Types[0].Objects->Destroyed = 5000;
  EXPECT_TRUE(findingsOf(P, kAll).empty());
}

TEST_F(FindingsTest, FreedByAnotherThread) {
  site("Foo", 40, 5000, 200000);
  FreeResult R;
  R.Site = 0;
  R.AllocatedIn.Index = 1;
  R.FreedIn.Index = 1;
  R.Frees = 4000;
  R.FreedBytes = 160000;
  P.Frees.push_back(R);
  EXPECT_TRUE(findingsOf(P, kAll).empty());
  P.Frees[0].FreedIn.Index = 2;
  const Finding F = only();
  EXPECT_EQ(nameOf(F.Rule), "freed-elsewhere");
  EXPECT_EQ(F.Allocations, 4000u);
}

TEST_F(FindingsTest, PhasesThatMustNotAllocate) {
  site("Foo", 40, 5000, 200000);
  PhaseResult Phase;
  Phase.Name = "load";
  Phase.Sum.Allocations = 300;
  PhaseResult::Part Part;
  Part.Type = "Foo";
  Part.Sum.Allocations = 300;
  Part.Sum.AllocatedBytes = 12000;
  Phase.Types.push_back(Part);
  P.Phases.push_back(Phase);
  EXPECT_TRUE(findingsOf(P, kAll).empty());
  for (const char *Name : {"Steady state", "audio (real-time)"}) {
    P.Phases[0].Name = Name;
    EXPECT_EQ(nameOf(only().Rule), "steady-phase") << Name;
  }
}

TEST_F(FindingsTest, LittleIsNotWorthALine) {
  site("Foo", 40, 50, 2000).Sum.Temporary = 50;
  EXPECT_TRUE(findingsOf(P, kAll).empty());
}

TEST_F(FindingsTest, MostAtStakeFirstAndNoMoreThanAsked) {
  site("Little", 40, 200, 8000).Sum.Temporary = 200;
  site("Much", 40, 5000, 200000).Sum.Temporary = 5000;
  const auto All = findingsOf(P, kAll);
  ASSERT_EQ(All.size(), 2u);
  EXPECT_EQ(P.Types[*All[0].Type].Name, "Much");
  EXPECT_EQ(All[1].severity(), Severity::Low);
  EXPECT_EQ(findingsOf(P, 1).size(), 1u);
}

TEST_F(FindingsTest, RoomThatNoElementUses) {
  site("Foo", 40, 1000, 1000 * 100 * 40);
  TypeResult &T = P.Types.back();
  T.Alias = "std::vector<Foo> buffer";
  T.Elements = 100000;
  T.Objects.emplace();
  T.Objects->Placed = 5000;
  const Finding F = only();
  EXPECT_EQ(nameOf(F.Rule), "over-reserved");
  EXPECT_EQ(F.SavesBytes, 3800000u);
  EXPECT_EQ(F.SavesAllocations, 0u);
  EXPECT_EQ(F.Advice, "reserve(5)");
  // Blocks that growth alone leaves, or elements that were not counted.
  T.Objects->Placed = 30000;
  EXPECT_THAT(rules(), Not(Contains("over-reserved")));
  T.Objects->Placed = 0;
  EXPECT_THAT(rules(), Not(Contains("over-reserved")));
  T.Objects->Placed = 5000;
  T.Alias = "Foo[]";
  EXPECT_THAT(rules(), Not(Contains("over-reserved")));
}

TEST_F(FindingsTest, ManySitesAndStacksTakeNoLookEach) {
  // Looked up for each site before the least stake was asked, their places
  // took 20,000 times 20,000 stacks.
  constexpr uint64_t kMany = 20000;
  P.WholeRun = true;
  P.Totals.Allocations = kMany;
  P.Totals.AllocatedBytes = 8 * kMany;
  site("Foo", 8, kMany, 8 * kMany);
  P.Sites.assign(kMany, P.Sites.front());
  P.Calls.Frames.resize(16);
  StackResult R;
  for (uint32_t F = 0; F < 16; ++F)
    R.Frames.push_back(F);
  P.Calls.Stacks.assign(kMany, R);
  for (SiteResult &S : P.Sites) {
    S.Where.File = "/usr/include/c++/12/bits/new_allocator.h";
    S.Where.Line = static_cast<uint32_t>(&S - P.Sites.data() + 1);
    S.Sum = {};
    S.Sum.Allocations = S.Sum.LiveAllocations = 1;
    S.Sum.AllocatedBytes = S.Sum.LiveBytes = 8;
  }
  EXPECT_TRUE(findingsOf(P, kAll).empty());
}

TEST_F(FindingsTest, ArenaForWhatIsAliveAtOnceInAPartOfTheRun) {
  P.Processes.emplace_back();
  P.LifetimeUnit = Unit::Bytes;
  SiteResult &S = site("Foo", 40, 2000, 80000);
  TypeResult &T = P.Types[S.Type];
  T.Sum.Frees = 2000;
  T.Elements = 2000;
  T.PeakLiveBytes = 79000;
  T.Life.Lifetimes = Histogram({{20000, 90000, 2000, 80000}});
  const Finding F = only();
  EXPECT_EQ(nameOf(F.Rule), "phase-arena");
  EXPECT_EQ(F.SavesAllocations, 1999u);
  EXPECT_EQ(F.SavesBytes, 0u);

  // Some are gone before the last come.
  T.PeakLiveBytes = 60000;
  EXPECT_TRUE(rules().empty());
  T.PeakLiveBytes = 80000;
  // They live as long as the program, or a moment.
  T.Life.Lifetimes = Histogram({{400000, 900000, 2000, 80000}});
  EXPECT_TRUE(rules().empty());
  T.Life.Lifetimes = Histogram({{0, 4000, 2000, 80000}});
  EXPECT_TRUE(rules().empty());
  // Arrays grow; large blocks gain nothing.
  T.Life.Lifetimes = Histogram({{20000, 90000, 2000, 80000}});
  T.Elements = 4000;
  EXPECT_TRUE(rules().empty());
  T.Elements = 2000;
  EXPECT_EQ(rules().size(), 1u);
}

TEST_F(FindingsTest, ArenaForAMarkedPhaseThatLeavesNothing) {
  P.Processes.emplace_back();
  SiteResult &S = site("Foo", 40, 5000, 200000);
  (void)S;
  PhaseResult Phase;
  Phase.Name = "parse";
  PhaseResult::Part Part;
  Part.Type = "Foo";
  Part.Sum.Allocations = Part.Sum.Frees = 2000;
  Part.Sum.AllocatedBytes = Part.Sum.FreedBytes = 80000;
  Part.PeakLiveBytes = 80000;
  Phase.Types = {Part};
  P.Phases = {Phase};
  const Finding F = only();
  EXPECT_EQ(nameOf(F.Rule), "phase-arena");
  EXPECT_EQ(F.SavesAllocations, 1999u);
  EXPECT_THAT(F.Message, HasSubstr("phase parse"));
  P.Phases[0].Types[0].Sum.LiveAllocations = 1;
  EXPECT_TRUE(rules().empty());
}

TEST_F(FindingsTest, PrintersShowThem) {
  for (int I = 0; I < 7; ++I)
    site("Foo", 40, 1000, 40000).Sum.Temporary = 1000;
  const auto Json = nlohmann::json::parse(printJson(P, View{}));
  ASSERT_EQ(Json["findings"].size(), 7u);
  EXPECT_EQ(Json["findings"][0]["rule"], "temporary");
  EXPECT_EQ(Json["findings"][0]["severity"], "medium");
  EXPECT_EQ(Json["findings"][0]["type"], "Foo");
  EXPECT_EQ(Json["findings"][0]["site"]["file"], "a.cpp");
  EXPECT_EQ(Json["findings"][0]["saves_allocations"], 1000);

  TextOptions Options;
  const std::string Text = printText(P, View{}, Options);
  EXPECT_THAT(Text, HasSubstr("FINDINGS"));
  EXPECT_LT(Text.find("FINDINGS"), Text.find("TYPES"));
  EXPECT_THAT(Text, HasSubstr("2 more findings"));
  View None;
  None.Findings = 0;
  EXPECT_THAT(printText(P, None, Options), Not(HasSubstr("FINDINGS")));
  EXPECT_TRUE(nlohmann::json::parse(printJson(P, None))["findings"].empty());

  View Table;
  Table.Tables = {By::Finding};
  const std::string Csv = printCsv(P, Table);
  EXPECT_THAT(Csv, HasSubstr("rule,severity,type,function,file,line,bytes"));
  EXPECT_THAT(Csv, HasSubstr("temporary,medium,Foo,f(),a.cpp,1,40000,1000,"));
  EXPECT_THAT(printText(Profile(), Table, Options),
              HasSubstr("none: no rule found"));
}
