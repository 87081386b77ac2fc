//===- StacksTest.cpp - Stacks, trees, blame and flame graphs -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/SampleTrace.h"

#include "report/formats/FlameGraph.h"
#include "report/model/Blame.h"
#include "report/text/Table.h"
#include "report/text/ViewReports.h"
#include "trace/text/Symbols.h"

using namespace inmem;
using namespace inmem::report;
using namespace inmem::test;

namespace {

/// main -> f -> g -> f -> make, main -> make (a tail call of h), and one whose
/// callers are cut; make is site 1 in module 1.
constexpr char kStacks[] = R"(
header state=complete clock=exact ticks-per-second=1000000000
extent meta
  module id=1 base=0x1000 path="/bin/app"
  type index=1 id=0x11 size=8 align=8 name="Foo"
  site id=1 type=1 key=0x1 kind=new function="make" file="a.cpp" line=3
  address id=1 module=1 offset=0x10 function="make"
  address id=2 module=1 offset=0x20 function="_ZN1A1fEv"
  address id=3 module=1 offset=0x30 function="_ZN1B1gEv"
  address id=4 module=1 offset=0x40
  address id=5 module=1 offset=0x50 function="_ZN1A1hEv"
  stack id=1 address=4
  stack id=2 parent=1 address=2
  stack id=3 parent=2 address=3
  stack id=4 parent=3 address=2
  stack id=5 parent=4 address=1
  stack id=6 parent=1 address=5 flags=tail-call
  stack id=7 parent=6 address=1
  stack id=8 address=1 flags=cut
  stacked-site id=2 site=1 stack=5
  stacked-site id=3 site=1 stack=7
  stacked-site id=4 site=1 stack=8
  symbol address=4
    frame function="inner" file="m.cpp" line=7
    frame function="main" file="m.cpp" line=9
extent rows owner=1
  row site=2 type=1 allocations=10 bytes=80 frees=4 freed-bytes=32 timed=4 weighted-timed=4 sum=40 min=10 max=10
    octave 1 2=4/32
  row site=3 type=1 allocations=2 bytes=16
  row site=4 type=1 allocations=1 bytes=8
extent cells owner=1
  cell type=4294967295 limit=4096
extent types
  total
  total live=72 peak=72
extent peak
  at-peak site=2 live=48
  at-peak site=3 live=16
)";

Profile sample() {
  auto P = buildProfile(std::vector{readText(kStacks)});
  EXPECT_TRUE(P) << P.status().str();
  return P ? *P : Profile();
}

std::string names(const Profile &P, const StackResult &S) {
  std::string Out;
  for (const uint32_t F : S.Frames)
    Out += (Out.empty() ? "" : ";") + P.Calls.Frames[F].Where.Function;
  return Out;
}

const StackNode *child(const StackNode &N, const Profile &P,
                       const char *Function) {
  for (const StackNode &C : N.Children)
    if (P.Calls.Frames[C.Frame].Where.Function == Function)
      return &C;
  ADD_FAILURE() << "no child " << Function;
  return nullptr;
}

TEST(Stacks, ACallWithoutANameIsNamedAsItsSiteIs) {
  // A site has the return address, a stack the address within the call.
  const auto P = buildProfile(std::vector{readText(R"(
header state=complete clock=exact ticks-per-second=1000000000
extent meta
  module id=1 base=0x1000 path="/lib/libx.so"
  site id=1 kind=caller module=1 offset=0x51 key=0x1
  address id=1 module=1 offset=0x50
  stack id=1 address=1
  stacked-site id=2 site=1 stack=1
extent rows owner=1
  row site=2 allocations=10 bytes=80
)")});
  ASSERT_TRUE(P) << P.status().str();
  ASSERT_EQ(P->Sites.size(), 1u);
  ASSERT_EQ(P->Calls.Stacks.size(), 1u);
  EXPECT_EQ(P->Sites[0].Where.Function, "libx.so+0x50");
  EXPECT_EQ(names(*P, P->Calls.Stacks[0]), "libx.so+0x50");
}

/// A stack of \p Depth wrappers below main, as the runtime writes them, and a
/// site in \p Function that took the block over.
std::string framesOfWrapped(unsigned Depth, const std::string &Function,
                            const std::string &Flags = "") {
  std::string Text = "header state=complete clock=exact "
                     "ticks-per-second=1000000000\nextent meta\n"
                     "  module id=1 base=0x1000 path=\"/bin/app\"\n"
                     "  site id=1 kind=custom key=0x1 file=\"a.c\" line=3 "
                     "function=\"" +
                     Function + "\"\n";
  const auto Add = [&](unsigned Id, const std::string &Name,
                       const std::string &More) {
    const std::string Number = std::to_string(Id);
    Text += "  address id=" + Number + " module=1 offset=" + Number +
            "0 function=\"" + Name + "\"\n  stack id=" + Number +
            " address=" + Number + More + "\n";
  };
  Add(1, "main", Flags);
  for (unsigned I = 0; I < Depth; ++I)
    Add(I + 2, "f" + std::to_string(I), " parent=" + std::to_string(I + 1));
  Text += "  stacked-site id=2 site=1 stack=" + std::to_string(Depth + 1) +
          "\nextent rows owner=1\n  row site=2 allocations=1 bytes=8\n";
  const auto P = buildProfile(std::vector{readText(Text)});
  EXPECT_TRUE(P) << P.status().str();
  return P && P->Calls.Stacks.size() == 1 ? names(*P, P->Calls.Stacks[0]) : "";
}

TEST(Stacks, AFunctionThatTookTheBlockOverIsWhereItWas) {
  EXPECT_EQ(framesOfWrapped(0, "main"), "main");
  EXPECT_EQ(framesOfWrapped(2, "main"), "main;f0;f1");
  EXPECT_EQ(framesOfWrapped(3, "f1"), "main;f0;f1;f2");
  std::string All = "main";
  for (unsigned I = 0; I < 40; ++I)
    All += ";f" + std::to_string(I);
  EXPECT_EQ(framesOfWrapped(40, "main"), All);
}

TEST(Stacks, AFunctionThatMayBeBeyondTheCutIsNotShown) {
  // It has jumped to the allocator: nothing is hidden.
  EXPECT_EQ(framesOfWrapped(2, "other"), "main;f0;f1;other");
  EXPECT_EQ(framesOfWrapped(2, "other", " flags=cut"),
            "(more callers);main;f0;f1");
}

TEST(Stacks, AFileHasOneSpelling) {
  // Compiled in /w as `clang src/a.cpp /w/src/b.cpp`, and a library elsewhere.
  const auto P = buildProfile(std::vector{readText(R"(
header state=complete clock=exact ticks-per-second=1000000000
extent meta
  module id=1 base=0x1000 path="/bin/app"
  type index=1 id=0x11 size=8 align=8 name="Foo"
  site id=1 type=1 key=0x1 kind=new function="make" file="src/a.cpp" line=3
  site id=2 type=1 key=0x2 kind=new function="other" file="/w/src/b.cpp" line=5
  address id=1 module=1 offset=0x10 function="make"
  address id=2 module=1 offset=0x20 function="outer"
  address id=3 module=1 offset=0x30 function="other"
  address id=4 module=1 offset=0x40 function="caller"
  stack id=1 address=4
  stack id=2 parent=1 address=3
  stack id=3 parent=2 address=2
  stack id=4 parent=3 address=1
  stacked-site id=3 site=2 stack=4
  symbol address=1
    frame function="make" file="/w/src/a.cpp" line=4
  symbol address=2
    frame function="outer" file="/w/src/main.cpp" line=9
  symbol address=3
    frame function="other" file="/w/src/b.cpp" line=6
  symbol address=4
    frame function="caller" file="/lib/src/a.cpp" line=7
extent rows owner=1
  row site=1 type=1 allocations=1 bytes=8
  row site=3 type=1 allocations=1 bytes=8
)")});
  ASSERT_TRUE(P) << P.status().str();
  std::set<std::string> Files;
  for (const StackFrame &F : P->Calls.Frames)
    Files.insert(F.Where.File);
  EXPECT_EQ(Files, (std::set<std::string>{"src/a.cpp", "src/main.cpp",
                                          "/w/src/b.cpp", "/lib/src/a.cpp"}));
  EXPECT_EQ(P->CompileFolders, std::vector<std::string>{"/w/"});
}

TEST(Stacks, FramesAreExpandedAndMarked) {
  const Profile P = sample();
  ASSERT_EQ(P.Calls.Stacks.size(), 3u);
  EXPECT_EQ(names(P, P.Calls.Stacks[0]),
            "main;inner;A::f();B::g();A::f();make");
  EXPECT_EQ(names(P, P.Calls.Stacks[1]), "main;inner;A::h();make");
  EXPECT_EQ(names(P, P.Calls.Stacks[2]), "(more callers);make");
  const auto &Frames = P.Calls.Stacks[1].Frames;
  EXPECT_EQ(P.Calls.Frames[Frames[1]].How, StackFrame::Kind::Inlined);
  EXPECT_EQ(P.Calls.Frames[Frames[2]].How, StackFrame::Kind::TailCall);
  // The site's own file and line, which no symbol knows.
  EXPECT_EQ(P.Calls.Frames[Frames[3]].Where.File, "a.cpp");
}

// Its address is the function's start, not that of the jump.
TEST(Stacks, WhatIsInlinedAtTheStartOfATailCalledFunctionCalledNothing) {
  std::string Text = kStacks;
  Text.insert(Text.find("extent rows"),
              "  symbol address=5\n"
              "    frame function=\"deep\" file=\"h.cpp\" line=1\n"
              "    frame function=\"outer\" file=\"h.cpp\" line=2\n");
  const auto P = buildProfile(std::vector{readText(Text)});
  ASSERT_TRUE(P);
  const StackResult &S = P->Calls.Stacks[1];
  EXPECT_EQ(names(*P, S), "main;inner;A::h();make");
  EXPECT_EQ(P->Calls.Frames[S.Frames[2]].How, StackFrame::Kind::TailCall);
}

TEST(Stacks, TheSitesOfStacksAddUpToTheSite) {
  const Profile P = sample();
  ASSERT_EQ(P.Sites.size(), 1u);
  EXPECT_EQ(P.Sites[0].Sum.Allocations, 13u);
  EXPECT_EQ(P.Totals.Allocations, 13u);
}

TEST(Stacks, ALineKeepsTheInnermostThatFit) {
  Style S;
  S.Unicode = true;
  const std::vector<std::string> Calls = {"A::make()", "B::fill()", "main"};
  const std::string Line = stackLine(S, Calls);
  EXPECT_EQ(Line, "A::make ← B::fill ← main");
  EXPECT_EQ(fitStack(S, Line, 24), Line);
  EXPECT_EQ(fitStack(S, Line, 23), "A::make ← B::fill ← …");
  EXPECT_EQ(fitStack(S, Line, 20), "A::make ← …");
  EXPECT_EQ(fitStack(S, Line, 10), "…make ← …");
  S.Unicode = false;
  EXPECT_EQ(fitStack(S, stackLine(S, Calls), 22), "A::make < B::fill < ..");
}

TEST(Stacks, EachCallGoesInAndACutStackSaysHowToSeeMore) {
  const std::string Text = stackTreeText(sample(), {}, {});
  const auto ColumnOf = [&](const char *Name) {
    const size_t At = Text.find(Name);
    return At - Text.rfind('\n', At);
  };
  EXPECT_EQ(ColumnOf("inner  m.cpp"), ColumnOf("main  m.cpp") + 1) << Text;
  EXPECT_EQ(ColumnOf("A::f"), ColumnOf("inner  m.cpp") + 2) << Text;
  EXPECT_EQ(ColumnOf("make  a.cpp"), ColumnOf("A::f") + 1) << Text;
  EXPECT_NE(Text.find("5 frames were recorded; INMEM_OPTIONS=stacks=10"),
            std::string::npos)
      << Text;
}

TEST(Stacks, NoneInThePartThatWasChosenIsNoneRecorded) {
  ProfileOptions O;
  O.TypeGlobs = {"Bar"};
  const auto P = buildProfile(std::vector{readText(kStacks)}, O);
  ASSERT_TRUE(P);
  EXPECT_NE(stackTreeText(*P, {}, {}).find("in the part that was chosen"),
            std::string::npos);
}

TEST(Stacks, ATreeMergesRecursionAndCountsOnce) {
  const Profile P = sample();
  const StackNode Root = buildTree(P, {});
  EXPECT_EQ(Root.Inclusive.Sum.Allocations, 13u);
  const StackNode *Main = child(Root, P, "main");
  ASSERT_TRUE(Main);
  EXPECT_EQ(Main->Inclusive.Sum.Allocations, 12u);
  EXPECT_EQ(Main->Self.Sum.Allocations, 0u);
  const StackNode *F = child(*child(*Main, P, "inner"), P, "A::f()");
  ASSERT_TRUE(F);
  EXPECT_TRUE(F->Recursive);
  EXPECT_EQ(F->Inclusive.Sum.Allocations, 10u);
  ASSERT_EQ(F->Children.size(), 1u); // back to the first call of f
  EXPECT_EQ(child(*F, P, "make")->Self.Sum.AllocatedBytes, 80u);
  EXPECT_EQ(*F->Inclusive.meanLifetime(), 10u);

  const StackNode Whole = buildTree(P, {.MergeRecursion = false});
  const StackNode *First =
      child(*child(*child(Whole, P, "main"), P, "inner"), P, "A::f()");
  EXPECT_FALSE(First->Recursive);
  EXPECT_TRUE(child(*child(*First, P, "B::g()"), P, "A::f()"));
}

TEST(Stacks, BottomUpBeginsWithTheAllocatingFunction) {
  const Profile P = sample();
  const StackNode Root = buildTree(P, {.BottomUp = true});
  const StackNode *Make = child(Root, P, "make");
  ASSERT_TRUE(Make);
  EXPECT_EQ(Make->Self.Sum.Allocations, 13u);
  EXPECT_EQ(child(*Make, P, "A::h()")->Inclusive.Sum.Allocations, 2u);
}

TEST(Stacks, BlameIsSharedOnceAStackAndGoesToOneDirectly) {
  const Profile P = sample();
  const BlameResult All =
      blame(P, {.Ignore = {"make"}, .Target = {}, .PassLibrary = true});
  ASSERT_FALSE(All.Classes.empty());
  EXPECT_EQ(All.Classes[0].Name, "A");
  EXPECT_EQ(All.Classes[0].DirectBlocks, 12u);
  EXPECT_EQ(All.Classes[0].Blocks, 12u);
  EXPECT_EQ(All.Classes[0].Methods.size(), 2u);
  EXPECT_EQ(All.NobodyBlocks, 1u);
  const BlameResult Only =
      blame(P, {.Ignore = {}, .Target = {"B::"}, .PassLibrary = true});
  ASSERT_EQ(Only.Classes.size(), 1u);
  EXPECT_EQ(Only.Classes[0].DirectBytes, 80u);
  EXPECT_EQ(Only.NobodyBlocks, 3u);
}

/// User::fill -> std::vector::push_back -> a helper in libstdc++'s headers, and
/// a stack of library frames alone.
Profile throughLibrary() {
  Profile P;
  const auto Frame = [&](const char *Function, const char *File,
                         const char *Module) {
    StackFrame F;
    F.Where.Function = Function;
    F.Where.File = File;
    F.Module = Module;
    P.Calls.Frames.push_back(F);
  };
  Frame("User::fill()", "/home/me/a.cpp", "app");
  Frame("std::vector<int>::push_back(int const&)", "", "app");
  Frame("helper(int)", "/usr/include/c++/12/helper.h", "app");
  Frame("strdup", "", "libc.so.6");
  Frame("__gnu_cxx::pool::refill()", "", "app");
  const auto Stack = [&](std::vector<uint32_t> Frames, uint64_t Bytes) {
    StackResult S;
    S.Frames = std::move(Frames);
    S.Sum.Allocations = 1;
    S.Sum.AllocatedBytes = Bytes;
    P.Calls.Stacks.push_back(S);
  };
  Stack({0, 1, 2}, 100);
  Stack({0, 3}, 10);
  Stack({4, 3}, 1);
  return P;
}

TEST(Stacks, WhoIsToBlameIsChosenByAnyOfItsOptions) {
  EXPECT_FALSE(BlameOptions{}.chosen());
  EXPECT_TRUE((BlameOptions{{"boost::"}, {}, true}.chosen()));
  EXPECT_TRUE((BlameOptions{{}, {"app::"}, true}.chosen()));
  EXPECT_TRUE((BlameOptions{{}, {}, false}.chosen()));
}

TEST(Stacks, TheLibraryIsNotToBlameUnlessItIsAlone) {
  const Profile P = throughLibrary();
  const BlameResult Default = blame(P, {});
  ASSERT_EQ(Default.Classes.size(), 3u);
  EXPECT_EQ(Default.Classes[0].Name, "User");
  EXPECT_EQ(Default.Classes[0].DirectBytes, 110u);
  EXPECT_EQ(Default.Classes[1].Name, "strdup");
  EXPECT_EQ(Default.Classes[1].DirectBytes, 1u);
  EXPECT_EQ(Default.Classes[2].Name, "__gnu_cxx::pool");
  EXPECT_EQ(Default.Classes[2].DirectBytes, 0u);
  EXPECT_EQ(Default.NobodyBytes, 0u);
  EXPECT_EQ(innermostThatMatters(P, {0, 1, 2}, {}), 0u);
  EXPECT_EQ(innermostThatMatters(P, {4, 3}, {}), 3u);
  // Ignored frames are not kept even if nothing else is there.
  const BlameOptions NoStrdup{{"strdup", "User"}, {}, true};
  EXPECT_EQ(innermostThatMatters(P, {4, 3}, NoStrdup), 4u);
  EXPECT_EQ(blame(P, {{"strdup", "User", "__gnu"}, {}, true}).NobodyBytes, 11u);
}

TEST(Stacks, OtherLibrariesBelowTheSystemsHeadersAreToBlame) {
  const auto Of = [](const char *File) {
    StackFrame F;
    F.Where.Function = "helper(int)";
    F.Where.File = File;
    return isLibrary(F);
  };
  EXPECT_FALSE(Of("/usr/include/boost/container/vector.hpp"));
  EXPECT_FALSE(Of("/usr/include/nlohmann/json.hpp"));
  EXPECT_FALSE(Of("/usr/include/zlib.h"));
  EXPECT_FALSE(Of("/usr/lib/llvm-19/include/llvm/ADT/SmallVector.h"));
  EXPECT_FALSE(Of("src/bits/mine.h"));
  EXPECT_FALSE(Of(""));
  EXPECT_TRUE(Of("/usr/include/c++/12/bits/new_allocator.h"));
  EXPECT_TRUE(Of("/usr/include/x86_64-linux-gnu/c++/12/bits/x.h"));
  EXPECT_TRUE(Of("/usr/lib/llvm-19/bin/../include/c++/v1/vector"));
  EXPECT_TRUE(Of("/usr/include/x86_64-linux-gnu/bits/stdlib.h"));
  EXPECT_TRUE(Of("/usr/include/x86_64-linux-gnu/sys/cdefs.h"));
  EXPECT_TRUE(Of("/usr/include/stdlib.h"));
  EXPECT_TRUE(Of("/usr/lib/gcc/x86_64-linux-gnu/12/include/mm_malloc.h"));
  EXPECT_TRUE(Of("/usr/lib/llvm-22/lib/clang/22/include/mm_malloc.h"));
}

TEST(Stacks, TheLibraryIsToBlameWhereAskedFor) {
  const Profile P = throughLibrary();
  const BlameResult All = blame(P, {{}, {}, false});
  EXPECT_EQ(All.Classes[0].Name, "helper");
  EXPECT_EQ(All.Classes[0].DirectBytes, 100u);
  EXPECT_EQ(innermostThatMatters(P, {0, 1, 2}, {{}, {"std::"}, true}), 1u);
}

TEST(Stacks, FoldedLinesOfEachMetric) {
  const Profile P = sample();
  FlameOptions O;
  O.Types = false;
  O.Of = FlameMetric::Count;
  O.Tree.MergeRecursion = false;
  EXPECT_EQ(foldedStacks(P, O), "(more callers);make 1\n"
                                "main;inner;A::f;B::g;A::f;make 10\n"
                                "main;inner;A::h;make 2\n");
  O.Of = FlameMetric::Peak;
  O.Tree.MergeRecursion = true;
  EXPECT_EQ(foldedStacks(P, O), "main;inner;A::f;make 48\n"
                                "main;inner;A::h;make 16\n");
  O.Of = FlameMetric::Lived;
  O.Types = true;
  EXPECT_EQ(foldedStacks(P, O), "main;inner;A::f;make;Foo 40\n");
}

TEST(Stacks, AFlameGraphIsOneEscapedPicture) {
  Profile P = sample();
  P.Calls.Frames[P.Calls.Stacks[0].Frames[0]].Where.Function = "a<\"&\">";
  const std::string Svg =
      flameGraph(P, {.Of = FlameMetric::Bytes, .Tree = {}, .Title = "t<"});
  EXPECT_NE(Svg.find("a&lt;\"&amp;\"&gt;"), std::string::npos);
  EXPECT_NE(Svg.find("t&lt;: bytes allocated"), std::string::npos);
  EXPECT_EQ(Svg.find("href"), std::string::npos); // needs nothing else
  P.Calls.Stacks.clear();
  EXPECT_NE(flameGraph(P, {}).find("none"), std::string::npos);
}

TEST(Stacks, TheTextFormKeepsThem) {
  const trace::Trace T = readText(kStacks);
  const std::string Text = trace::dump(T);
  EXPECT_EQ(trace::dump(readText(Text)), Text);
  EXPECT_NE(Text.find("stack id=6 parent=1 address=5 flags=tail-call"),
            std::string::npos);
  EXPECT_NE(Text.find("at-peak site=2 live=48"), std::string::npos);
}

TEST(Stacks, SymbolsAreAddedBehindTheRest) {
  auto Bytes = assembled(kStacks);
  trace::seal(Bytes);
  const auto Before = readBytes(Bytes);
  ASSERT_TRUE(Before);
  const trace::Trace &T = Before->front();
  const auto Added = trace::addSymbols(
      T, {{2, {{"in", "x.cpp", 4, 2}, {"_ZN1A1fEv", "y.cpp", 5, 0}}}});
  std::vector<std::byte> After(Added.Header);
  const auto Rest = T.File->bytes().subspan(After.size());
  After.insert(After.end(), Rest.begin(), Rest.end());
  After.insert(After.end(), Added.Extent.begin(), Added.Extent.end());
  const auto Again = readBytes(After);
  ASSERT_TRUE(Again) << Again.status().str();
  EXPECT_TRUE(Again->front().Diagnostics.empty());
  EXPECT_TRUE(Again->front().verified());
  const auto &Source = Again->front().address(2).Source;
  ASSERT_EQ(Source.size(), 2u);
  EXPECT_EQ(Source[0].File, "x.cpp");
  EXPECT_EQ(Source[1].Line, 5u);
  // Any changed byte of the new extent is found.
  After[After.size() - Added.Extent.size() + 80] ^= std::byte{1};
  const auto Damaged = readBytes(After);
  EXPECT_TRUE(!Damaged || Damaged->front().damaged());
}

TEST(Stacks, AStackThatIsItsOwnCallerIsDamage) {
  const trace::Trace T = readText(R"(
header state=complete
extent meta
  stack id=1 parent=1 address=1
  stacked-site id=2 site=1 stack=1
)");
  EXPECT_TRUE(T.damaged());
  EXPECT_EQ(T.stack(1).Parent, 0u);
}

} // namespace
