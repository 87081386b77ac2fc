//===- ProfileTest.cpp - Figures from traces ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/SampleTrace.h"

#include "report/model/Profile.h"

#include <cmath>
#include <random>

using namespace inmem;
using namespace inmem::report;
using namespace inmem::test;

namespace {

Profile profileFrom(std::vector<trace::Trace> Traces,
                    const ProfileOptions &Options = {}) {
  auto P = buildProfile(Traces, Options);
  EXPECT_TRUE(P) << P.status().str();
  return P ? *P : Profile();
}

Profile profileFrom(std::string_view Text, const ProfileOptions &Options = {}) {
  return profileFrom(std::vector{readText(Text)}, Options);
}

const TypeResult &rowOf(const Profile &P, const char *Name) {
  for (const TypeResult &T : P.Types)
    if (Name ? T.Name == Name : !T.Name)
      return T;
  ADD_FAILURE() << "no type " << (Name ? Name : "(unknown)");
  static const TypeResult None;
  return None;
}

void addUp(const Counts &C) {
  EXPECT_EQ(C.Allocations + C.CarriedAllocations, C.Frees + C.LiveAllocations);
  EXPECT_EQ(C.AllocatedBytes + C.CarriedBytes, C.FreedBytes + C.LiveBytes);
}

/// Invariants of every profile without globs.
void checkInvariants(const Profile &P) {
  addUp(P.Totals);
  Counts ByType, BySite;
  for (const TypeResult &T : P.Types) {
    addUp(T.Sum);
    ByType.add(T.Sum);
    Counts Own;
    for (const size_t I : T.Sites)
      Own.add(P.Sites[I].Sum);
    EXPECT_EQ(Own.AllocatedBytes, T.Sum.AllocatedBytes);
    EXPECT_EQ(Own.Frees, T.Sum.Frees);
    EXPECT_EQ(T.Life.Count, T.Sum.Frees);
    if (T.Life.known()) {
      EXPECT_EQ(T.Life.Lifetimes.count(), T.Sum.Frees);
      EXPECT_EQ(T.Life.Lifetimes.bytes(), T.Sum.FreedBytes);
      EXPECT_LE(*T.Life.Min, *T.Life.P50);
      EXPECT_LE(*T.Life.P50, *T.Life.P90);
      EXPECT_LE(*T.Life.P90, *T.Life.P99);
      EXPECT_LE(*T.Life.P99, *T.Life.Max);
      EXPECT_LE(*T.Life.Min, *T.Life.Mean);
      EXPECT_LE(*T.Life.Mean, *T.Life.Max);
    }
    if (T.PeakLiveBytes) {
      EXPECT_GE(*T.PeakLiveBytes, T.Sum.LiveBytes);
    }
  }
  for (const SiteResult &S : P.Sites) {
    addUp(S.Sum);
    BySite.add(S.Sum);
  }
  EXPECT_EQ(ByType.AllocatedBytes, P.Totals.AllocatedBytes);
  EXPECT_EQ(ByType.Frees, P.Totals.Frees);
  EXPECT_EQ(BySite.Allocations, P.Totals.Allocations);
  EXPECT_EQ(BySite.LiveBytes, P.Totals.LiveBytes);
}

TEST(Profile, AddsUp) {
  const Profile P = profileFrom(kSample);
  checkInvariants(P);
  EXPECT_EQ(P.Totals.Allocations, 20u); // 21 less the one moved out
  EXPECT_EQ(P.Totals.Frees, 14u);
  EXPECT_EQ(P.Totals.Temporary, 2u);
  EXPECT_EQ(P.PeakLiveBytes, 400u);
  EXPECT_TRUE(P.Notes.empty());
}

TEST(Profile, CountsElementsOfArraysWithoutTheirCookies) {
  const Profile P = profileFrom(kSample);
  const TypeResult &Foo = rowOf(P, "Foo");
  // 10 single ones, and (112 - 2 * 8) / 24 = 4 in two arrays.
  EXPECT_EQ(Foo.Elements, 14u);
  EXPECT_EQ(Foo.Size, 24u);
}

TEST(Profile, ElementsOfATypeOfUnknownSizeAreUnknown) {
  const Profile P = profileFrom("header\nextent meta\n"
                                " type index=1 id=1 name=\"A\"\n"
                                " site id=1 type=1 kind=malloc\n"
                                "extent rows owner=1\n"
                                " row site=1 type=1 allocations=1 bytes=9\n");
  EXPECT_EQ(rowOf(P, "A").Elements, std::nullopt);
  EXPECT_EQ(rowOf(P, "A").PeakLiveBytes, std::nullopt);
}

TEST(Profile, BlocksThatMovedBelongToTheOtherSite) {
  const Profile P = profileFrom(kSample);
  const TypeResult &Node =
      rowOf(P, "std::_Rb_tree_node<std::pair<const int, Foo>>");
  EXPECT_EQ(Node.Sum.Allocations, 4u);
  EXPECT_EQ(Node.Sum.AllocatedBytes, 160u);
  EXPECT_EQ(Node.Sum.LiveAllocations, 1u);
  EXPECT_EQ(Node.Alias, "std::map<int, Foo> node");
}

TEST(Profile, LifetimesAreExactAtTheirEnds) {
  const Profile P = profileFrom(kSample);
  const Lifetime &L = rowOf(P, "Foo").Life;
  EXPECT_EQ(L.Count, 8u);
  EXPECT_EQ(L.Timed, 6u);
  EXPECT_EQ(L.Min, 10u);
  EXPECT_EQ(L.Max, 20u);
  EXPECT_EQ(L.Mean, 17u); // 100 / 6
  // 2 and 4 timed represent 8 frees: 2.67 and 5.33.
  ASSERT_EQ(L.Lifetimes.buckets().size(), 2u);
  EXPECT_EQ(L.Lifetimes.buckets()[0], (Bucket{10, 11, 3, 64}));
  EXPECT_EQ(L.Lifetimes.buckets()[1].Count, 5u);
}

TEST(Profile, ShowsTheFirstFrameOutsideSystemHeaders) {
  const Profile P = profileFrom(kSample);
  const SiteResult *Array = nullptr;
  for (const SiteResult &S : P.Sites)
    if (S.Kind == "new[]")
      Array = &S;
  ASSERT_TRUE(Array);
  EXPECT_EQ(Array->Where.Function, "user()");
  EXPECT_EQ(Array->Where.File, "src/b.cpp");
  EXPECT_EQ(Array->Where.Line, 9u);
  ASSERT_EQ(Array->Chain.size(), 3u);
  EXPECT_EQ(Array->Chain[0].Function, "lib<Foo>::more()");
}

TEST(Profile, ShowsTheOutermostFrameWhereAllAreInSystemHeaders) {
  const Profile P = profileFrom(
      "header\nextent meta\n type index=1 id=1 size=8 name=\"A\"\n"
      " site id=1 type=1 key=1 kind=new function=\"a\" "
      "file=\"/usr/include/a.h\" line=1\n"
      "  frame function=\"b\" file=\"/usr/include/b.h\" line=2\n"
      "  frame function=\"c\" file=\"/usr/include/c.h\" line=3\n"
      "extent rows owner=1\n row site=1 type=1 allocations=1 bytes=8\n");
  ASSERT_EQ(P.Sites.size(), 1u);
  EXPECT_EQ(P.Sites[0].Where.File, "/usr/include/c.h");
}

TEST(Profile, UnknownTypesAreOneRowByModuleAndSymbol) {
  const Profile P = profileFrom(kSample);
  const TypeResult &Unknown = rowOf(P, nullptr);
  EXPECT_EQ(Unknown.Sum.Allocations, 4u);
  EXPECT_EQ(Unknown.Elements, std::nullopt);
  EXPECT_EQ(Unknown.Size, std::nullopt);
  ASSERT_EQ(Unknown.Sites.size(), 2u);
  EXPECT_EQ(P.Sites[Unknown.Sites[0]].Where.Function, "libx.so+0x4f");
  EXPECT_EQ(P.Sites[Unknown.Sites[1]].Where.Function, "opaque()");
  EXPECT_EQ(P.Sites[Unknown.Sites[1]].Module, "/lib/libx.so");
}

TEST(Profile, CallersOfOneSymbolAreOneSite) {
  const Profile P = profileFrom(
      "header\nextent meta\n module id=1 path=\"/l.so\"\n"
      " site id=1 kind=caller function=\"f\" module=1 offset=0x10\n"
      " site id=2 kind=caller function=\"f\" module=1 offset=0x20\n"
      " site id=3 kind=caller function=\"g\" module=1 offset=0x30\n"
      "extent rows owner=1\n row site=1 allocations=1 bytes=1\n"
      " row site=2 allocations=1 bytes=1\n row site=3 allocations=1 bytes=1\n");
  ASSERT_EQ(P.Sites.size(), 2u);
  EXPECT_EQ(P.Sites[0].Where.Function, "f");
  EXPECT_EQ(P.Sites[0].Sum.Allocations, 2u);
}

TEST(Profile, ACallerWithoutSymbolAsksTheResolverForTheCall) {
  struct Resolver : CallerResolver {
    std::optional<SourceLocation> resolve(std::string_view Path,
                                          std::string_view, uint64_t,
                                          uint64_t Offset) override {
      EXPECT_EQ(Path, "/lib/libx.so");
      EXPECT_EQ(Offset, 0x4fu); // within the call, not behind it
      return SourceLocation{"_Z5foundv", "lib.c", 7, 1};
    }
  } R;
  ProfileOptions Options;
  Options.Resolver = &R;
  const Profile P = profileFrom(kSample, Options);
  const SourceLocation &Where = P.Sites[rowOf(P, nullptr).Sites[0]].Where;
  EXPECT_EQ(Where.Function, "found()");
  EXPECT_EQ(Where.Line, 7u);
}

TEST(Profile, CountsObjectsByStorageWithoutBases) {
  const Profile P = profileFrom(kSample);
  const TypeResult &Foo = rowOf(P, "Foo");
  ASSERT_TRUE(Foo.Objects);
  EXPECT_EQ(Foo.Objects->Heap, 7u);
  EXPECT_EQ(Foo.Objects->Stack, 4u);
  EXPECT_EQ(Foo.Objects->constructed(), 11u);
  EXPECT_EQ(Foo.Objects->Copied, 4u);
  EXPECT_EQ(Foo.Objects->Moved, 0u);
  EXPECT_EQ(Foo.Objects->Destroyed, 6u);
  // Never on the heap, still there.
  const TypeResult &Bar = rowOf(P, "Bar");
  EXPECT_EQ(Bar.Objects->Moved, 2u);
  EXPECT_EQ(Bar.Sum.Allocations, 0u);
  EXPECT_FALSE(rowOf(P, nullptr).Objects);
}

TEST(Profile, AnObjectThatIsReturnedLivesWhereItIsReceived) {
  const Profile P = profileFrom(
      "header\nextent meta\n"
      " object module=1 cell=0 event=constructed class=\"V\" line=1\n"
      " object module=1 cell=1 event=received storage=heap class=\"V\"\n"
      " object module=1 cell=2 event=received storage=stack class=\"V\"\n"
      " object module=1 cell=3 event=destroyed class=\"V\"\n"
      "extent counters owner=1 module=1\n"
      " counts 7 3 9 5\n");
  ASSERT_TRUE(rowOf(P, "V").Objects);
  const ObjectCounts &V = *rowOf(P, "V").Objects;
  // More were received than constructed: from code without counters.
  EXPECT_EQ(V.Heap, 3u);
  EXPECT_EQ(V.Stack, 4u);
  EXPECT_EQ(V.Unknown, 0u);
  EXPECT_EQ(V.alive(), 2u);
  ASSERT_EQ(V.Sites.size(), 1u);
  EXPECT_EQ(V.Sites[0].Constructed, 7u);
}

TEST(Profile, MergesTypesOfSeveralProcessesByNameAndId) {
  const trace::Trace T = readText(kSample);
  const Profile Two = profileFrom({T, T});
  checkInvariants(Two);
  const Profile One = profileFrom(kSample);
  EXPECT_EQ(Two.Types.size(), One.Types.size());
  EXPECT_EQ(Two.Sites.size(), One.Sites.size());
  EXPECT_EQ(Two.Totals.AllocatedBytes, 2 * One.Totals.AllocatedBytes);
  EXPECT_EQ(rowOf(Two, "Foo").Objects->Heap, 14u);
  EXPECT_EQ(rowOf(Two, "Foo").Life.Lifetimes.count(), 16u);
  EXPECT_EQ(Two.Processes.size(), 2u);
}

TEST(Profile, SameNameAndOtherIdIsAnotherType) {
  const std::string Rows = "extent rows owner=1\n"
                           " row site=1 allocations=1 bytes=1\n";
  const trace::Trace A = readText("header\nextent meta\n type index=1 id=1 "
                                  "name=\"A\"\n site id=1 type=1\n" +
                                  Rows);
  const trace::Trace B = readText("header\nextent meta\n type index=1 id=2 "
                                  "name=\"A\"\n site id=1 type=1\n" +
                                  Rows);
  EXPECT_EQ(profileFrom({A, B}).Types.size(), 2u);
}

TEST(Profile, ClocksOfDifferentUnitsCannotBeAddedUp) {
  const std::vector Both = {readText("header\n"),
                            readText("header clock=events\n")};
  EXPECT_FALSE(buildProfile(Both));
}

constexpr char kReset[] =
    "header\nextent meta\n type index=1 id=1 size=8 name=\"A\"\n"
    " site id=1 type=1 kind=new\n site id=2 type=1 kind=new\n"
    "extent rows owner=1\n"
    " row site=1 type=1 allocations=10 bytes=80 frees=8 freed-bytes=64 "
    "temporary=3 timed=8 weighted-timed=8 sum=610 min=5 max=100\n"
    "  octave 0 5=2/16\n  octave 4 4=6/48\n"
    " row site=2 type=1 allocations=3 bytes=24 moved-out=2 "
    "moved-out-bytes=16\n"
    "extent snapshot kind=reset\n"
    " row site=1 type=1 allocations=6 bytes=48 frees=2 freed-bytes=16 "
    "temporary=1 timed=2 weighted-timed=2 sum=10 min=5 max=5\n"
    "  octave 0 5=2/16\n"
    " row site=2 type=1 allocations=3 bytes=24\n";

TEST(Profile, CountsFromTheLastReset) {
  const Profile P = profileFrom(kReset);
  checkInvariants(P);
  const TypeResult &A = rowOf(P, "A");
  EXPECT_EQ(A.Sum.Allocations, 4u);
  EXPECT_EQ(A.Sum.Frees, 6u);
  EXPECT_EQ(A.Sum.Temporary, 2u);
  // 4 of site 1 were alive, and of site 2's 3 one stayed with it.
  EXPECT_EQ(A.Sum.CarriedAllocations, 5u);
  EXPECT_EQ(A.Sum.LiveAllocations, 3u);
  ASSERT_EQ(A.Life.Lifetimes.buckets().size(), 1u);
  EXPECT_EQ(A.Life.Lifetimes.count(), 6u);
  EXPECT_EQ(A.Life.Mean, 100u); // 600 / 6
  EXPECT_EQ(A.Life.Max, 103u);
}

TEST(Profile, SampledBytesAreWeighted) {
  const Profile P = profileFrom(
      "header flags=sampled-bytes sample-bytes=512\nextent meta\n"
      " type index=1 id=1 size=8 name=\"A\"\n site id=1 type=1 kind=new\n"
      "extent rows owner=1\n"
      " row site=1 type=1 allocations=2 bytes=16 frees=1 freed-bytes=8 timed=1 "
      "weighted-timed=64 sum=640 min=10 max=10 weighted-allocations=128.4 "
      "weighted-bytes=1027.2 weighted-frees=64.2 weighted-freed-bytes=513.6\n"
      "  octave 1 2=64/512\n");
  checkInvariants(P);
  EXPECT_EQ(P.Totals.Allocations, 128u);
  EXPECT_EQ(P.Totals.AllocatedBytes, 1027u);
  EXPECT_EQ(P.Totals.Frees, 64u);
  EXPECT_EQ(P.PeakLiveBytes, std::nullopt);
  EXPECT_EQ(P.Notes.size(), 1u);
}

TEST(Profile, TemporaryAndReallocatedBlocksOfASampleAreWeighted) {
  const Profile P = profileFrom(
      "header flags=sampled-bytes sample-bytes=512\nextent meta\n"
      " type index=1 id=1 size=8 name=\"A\"\n site id=1 type=1 kind=new\n"
      "extent rows owner=1\n"
      " row site=1 type=1 allocations=2 bytes=16 frees=2 freed-bytes=16 "
      "temporary=1 reallocations=2 weighted-allocations=20 weighted-bytes=160 "
      "weighted-frees=20 weighted-freed-bytes=160\n");
  EXPECT_EQ(P.Totals.Temporary, 10u);
  EXPECT_EQ(P.Totals.Reallocations, 20u);
}

TEST(Profile, ASampledBlockThatMovedTakesItsOwnWeightAlong) {
  // Site 1 made a small block of weight 10 and a large one of weight 1, and the
  // large one went to site 2: the runtime has moved the weight already.
  constexpr char kMoved[] =
      "header flags=sampled-bytes sample-bytes=512\nextent meta\n"
      " site id=1\n site id=2 line=5\n"
      "extent rows owner=1\n"
      " row site=1 allocations=2 bytes=5008 moved-out=1 moved-out-bytes=5000 "
      "weighted-allocations=10 weighted-bytes=80\n"
      " row site=2 allocations=1 bytes=5000 weighted-allocations=1 "
      "weighted-bytes=5000\n";
  const Profile P = profileFrom(kMoved);
  checkInvariants(P);
  EXPECT_EQ(P.Totals.Allocations, 11u);
  EXPECT_EQ(P.Totals.AllocatedBytes, 5080u);
  ASSERT_EQ(P.Sites.size(), 2u);
  const auto &Small = P.Sites[P.Sites[0].Sum.Allocations == 10 ? 0 : 1].Sum;
  EXPECT_EQ(Small.Allocations, 10u);
  EXPECT_EQ(Small.AllocatedBytes, 80u);
  // One block that represents 10: 1.96 * sqrt(10 * 9).
  EXPECT_EQ(Small.allocationsWithin(), 19u);
  EXPECT_EQ(P.Notes.size(), 1u); // that this is an estimate

  // As above, but all were there at a reset, and moved afterwards.
  const Profile Q = profileFrom(
      std::string(kMoved) + "extent snapshot kind=reset\n"
                            " row site=1 allocations=2 bytes=5008 "
                            "weighted-allocations=11 weighted-bytes=5080\n");
  checkInvariants(Q);
  EXPECT_EQ(Q.Totals.Allocations, 1u);
  EXPECT_EQ(Q.Totals.CarriedAllocations, 10u);
  EXPECT_EQ(Q.Totals.CarriedBytes, 80u);
  EXPECT_EQ(Q.Totals.LiveAllocations, 11u);
  EXPECT_EQ(Q.Totals.LiveBytes, 5080u);
}

TEST(Profile, OneInNStandsForN) {
  const Profile P = profileFrom("header flags=sampled-every every=10\n"
                                "extent meta\n site id=1\n"
                                "extent rows owner=1\n"
                                " row site=1 allocations=3 bytes=24 frees=1 "
                                "freed-bytes=8\n");
  checkInvariants(P);
  EXPECT_EQ(P.Totals.Allocations, 30u);
  EXPECT_EQ(P.Totals.LiveBytes, 160u);
  // 1.96 * sqrt(3 * 10 * 9), and eight times as much before rounding up.
  EXPECT_EQ(P.Totals.allocationsWithin(), 33u);
  EXPECT_EQ(P.Totals.bytesWithin(), 258u);
}

TEST(Profile, TheTruthLiesWithinTheConfidenceInterval) {
  constexpr uint64_t kMean = 512;
  struct {
    uint64_t Size, Blocks;
  } Kinds[] = {{16, 20000}, {700, 2000}};
  std::mt19937 Random(1);
  int Runs = 1000, WithinBlocks = 0, WithinBytes = 0;
  uint64_t Blocks = 0, Bytes = 0;
  for (const auto &K : Kinds) {
    Blocks += K.Blocks;
    Bytes += K.Blocks * K.Size;
  }
  for (int Run = 0; Run < Runs; ++Run) {
    std::string Text = "header flags=sampled-bytes sample-bytes=512\n"
                       "extent meta\n site id=1\n site id=2\n"
                       "extent rows owner=1\n";
    int Site = 0;
    for (const auto &K : Kinds) {
      const double P =
          1 - std::exp(-static_cast<double>(K.Size) / double{kMean});
      const uint64_t N =
          std::binomial_distribution<uint64_t>(K.Blocks, P)(Random);
      const double Weighted = static_cast<double>(N) / P;
      Text += " row site=" + std::to_string(++Site) +
              " allocations=" + std::to_string(N) +
              " bytes=" + std::to_string(N * K.Size) +
              " weighted-allocations=" + std::to_string(Weighted) +
              " weighted-bytes=" +
              std::to_string(Weighted * static_cast<double>(K.Size)) + "\n";
    }
    const Counts C = profileFrom(Text).Totals;
    ASSERT_TRUE(C.Estimated);
    const auto Apart = [](uint64_t A, uint64_t B) {
      return A > B ? A - B : B - A;
    };
    WithinBlocks += Apart(C.Allocations, Blocks) <= C.allocationsWithin();
    WithinBytes += Apart(C.AllocatedBytes, Bytes) <= C.bytesWithin();
  }
  EXPECT_NEAR(WithinBlocks, 0.95 * Runs, 0.02 * Runs);
  EXPECT_NEAR(WithinBytes, 0.95 * Runs, 0.02 * Runs);
}

TEST(Profile, FreedButNeverTimedIsUnknown) {
  const Profile P = profileFrom("header\nextent meta\n site id=1\n"
                                "extent rows owner=1\n"
                                " row site=1 allocations=3 bytes=24 frees=1 "
                                "freed-bytes=8\n");
  const Lifetime &L = rowOf(P, nullptr).Life;
  EXPECT_FALSE(L.known());
  EXPECT_EQ(L.Count, 1u);
  EXPECT_EQ(L.P50, std::nullopt);
}

TEST(Profile, AnUntimedSiteLivesAsTheOthersOfItsType) {
  const Profile P = profileFrom(
      "header\nextent meta\n site id=1\n site id=2 line=5\n"
      "extent rows owner=1\n"
      " row site=1 allocations=2 bytes=16 frees=2 freed-bytes=16 timed=2 "
      "weighted-timed=2 sum=20 min=10 max=10\n  octave 1 2=2/16\n"
      " row site=2 allocations=5 bytes=40 frees=5 freed-bytes=40\n");
  checkInvariants(P);
  EXPECT_EQ(rowOf(P, nullptr).Life.Lifetimes.count(), 7u);
}

TEST(Profile, MoreFreedThanAllocatedIsCutToFitAndSaid) {
  const Profile P = profileFrom("header\nextent meta\n site id=1\n"
                                "extent rows owner=1\n"
                                " row site=1 allocations=3 bytes=24 frees=9 "
                                "freed-bytes=72\n");
  checkInvariants(P);
  EXPECT_EQ(P.Totals.Frees, 3u);
  EXPECT_EQ(P.Notes.size(), 1u);
}

TEST(Profile, GlobsLimitTypesAndSitesButNotTotals) {
  ProfileOptions Options;
  Options.TypeGlobs = {"Fo?"};
  const Profile P = profileFrom(kSample, Options);
  EXPECT_EQ(P.Totals.Allocations, 20u);
  ASSERT_EQ(P.Types.size(), 1u);
  EXPECT_EQ(P.Types[0].Sum.Allocations, 12u);
  Options.TypeGlobs = {};
  Options.SiteGlobs = {"src/b.cpp:9"};
  const Profile Q = profileFrom(kSample, Options);
  ASSERT_EQ(Q.Sites.size(), 1u);
  EXPECT_EQ(Q.Sites[0].Sum.Allocations, 2u);
}

TEST(Profile, StringBuffersAreKnownByWhoAllocatesThem) {
  const Profile P = profileFrom(
      "header\nextent meta\n type index=1 id=1 size=1 name=\"char\"\n"
      " site id=1 type=1 kind=allocator function=\"_ZNSt7__cxx1112basic_"
      "stringIcSt11char_traitsIcESaIcEE9_M_createERmm\" "
      "file=\"/usr/include/s.h\"\n  frame function=\"f\" file=\"a.c\" line=1\n"
      "extent rows owner=1\n row site=1 allocations=3 bytes=99\n");
  EXPECT_EQ(rowOf(P, "char").Alias, "std::string buffer");
  EXPECT_EQ(rowOf(P, "char").Elements, 99u);
}

TEST(Profile, ARunningOrCutProcessIsNotComplete) {
  const Profile P = profileFrom("header state=running\n");
  EXPECT_FALSE(P.Processes[0].Complete);
  EXPECT_TRUE(P.Processes[0].Running);
  ASSERT_EQ(P.Notes.size(), 1u);
  EXPECT_NE(P.Notes[0].find("still running, or was killed"), std::string::npos);
}

TEST(Profile, AProgramThatBecameAnotherIsNotDoubted) {
  EXPECT_TRUE(profileFrom("header state=execed\n").Notes.empty());
}

constexpr char kDoubts[] = R"(
header state=complete pid=7 clock=exact ticks-per-second=1000000000
extent meta
  module id=1 base=0x1000 path="/lib/libx.so.3"
  module id=2 base=0x2000 path="/usr/lib/libstdc++.so.6"
  type index=1 id=0x11 size=24 align=8 flags=class name="Foo"
  type index=2 id=0x12 size=8 align=8 flags=class name="Open"
    field name="text" offset=4 size=4 kind=array type-name="char[4]"
  type index=3 id=0x13 size=1 align=1 name="char"
  site id=1 type=1 key=0x101 kind=malloc rule=pointer function="small" file="a.c" line=1
  site id=2 type=1 key=0x102 kind=malloc rule=sizeof flags=disagree function="two" file="a.c" line=2
  site id=3 type=1 key=0x103 kind=malloc rule=pointer function="odd" file="a.c" line=3
  site id=4 type=1 key=0x104 kind=malloc rule=sizeof flags=extra function="sum" file="a.c" line=4
  site id=5 type=2 key=0x105 kind=malloc rule=pointer function="open" file="a.c" line=5
  site id=6 type=1 key=0x106 kind=new rule=language function="made" file="a.c" line=6
  site id=7 key=0x107 kind=caller module=1 offset=0x40 symbol-offset=0x4 function="x_open"
  site id=8 key=0x108 kind=caller module=2 offset=0x40 symbol-offset=0x4 function="_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_createERmm"
  site id=9 key=0x109 kind=malloc flags=too-small function="tiny" file="a.c" line=9
extent rows owner=1
  row site=1 type=1 allocations=2 bytes=30
  row site=2 type=1 allocations=1 bytes=24
  row site=3 type=1 allocations=1 bytes=36
  row site=4 type=1 allocations=1 bytes=36
  row site=5 type=2 allocations=1 bytes=5
  row site=6 type=1 allocations=1 bytes=24
  row site=7 allocations=3 bytes=30
  row site=8 allocations=2 bytes=50
  row site=9 allocations=1 bytes=2
)";

TEST(Profile, TypesInDoubtAreCountedAndThoseTooSmallAreNotShown) {
  const Profile P = profileFrom(kDoubts);
  checkInvariants(P);
  EXPECT_EQ(rowOf(P, "Foo").Sum.Allocations, 4u);
  EXPECT_EQ(rowOf(P, "Open").Sum.Allocations, 1u);
  EXPECT_EQ(rowOf(P, nullptr).Sum.AllocatedBytes, 30u + 30u + 2u);
  std::vector<std::string> Doubts;
  for (const DoubtResult &D : P.Doubts)
    Doubts.push_back(std::string(nameOf(D.What)) + ' ' + D.Site.Where.Function +
                     ' ' + D.Type);
  EXPECT_EQ(Doubts,
            (std::vector<std::string>{"remainder odd Foo", "too-small small ",
                                      "disagree two Foo", "too-small tiny "}));
  std::vector<std::string> Rules;
  for (const RuleResult &R : P.Rules)
    Rules.push_back(R.Rule + ' ' + std::to_string(R.Allocations));
  EXPECT_EQ(Rules, (std::vector<std::string>{"none 1", "language 1", "sizeof 2",
                                             "pointer 4", "caller 5"}));
}

TEST(Profile, LibrariesAreTaughtAndTheCppLibraryIsKnown) {
  EXPECT_EQ(rowOf(profileFrom(kDoubts), "char").Sum.AllocatedBytes, 50u);
  ProfileOptions Options;
  Options.Assumptions = {{"liby.so", "x_open", "Wrong"},
                         {"libx.so", "x_*", "Handle"}};
  const Profile P = profileFrom(kDoubts, Options);
  checkInvariants(P);
  const TypeResult &Handle = rowOf(P, "Handle");
  EXPECT_EQ(Handle.Sum.AllocatedBytes, 30u);
  EXPECT_FALSE(Handle.Size);
  EXPECT_FALSE(Handle.Elements);
  EXPECT_FALSE(Handle.PeakLiveBytes);
  EXPECT_FALSE(Handle.PeakAtMost) << "the trace has no peaks";
  // The trace with peaks: the run recorded all these blocks as of no type, 70
  // bytes at most at any time, which is more than x_open allocated.
  std::string WithPeaks =
      std::string(kDoubts) + "extent types\n total peak=70\n total\n";
  WithPeaks.insert(WithPeaks.find(" pid=7"), " peak-live-bytes=200");
  const Profile Peaks = profileFrom(WithPeaks, Options);
  EXPECT_EQ(rowOf(Peaks, "Handle").PeakAtMost, 30u);
  EXPECT_EQ(rowOf(Peaks, "char").PeakAtMost, 50u);
  EXPECT_FALSE(rowOf(Peaks, "char").PeakLiveBytes);
  // A type that the trace knows is that one.
  Options.Assumptions = {{"libx.so*", "x_open", "Foo"}};
  EXPECT_EQ(rowOf(profileFrom(kDoubts, Options), "Foo").Sum.Allocations, 7u);
}

} // namespace
