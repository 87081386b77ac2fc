//===- PrintersTest.cpp - JSON, CSV and text against their contracts ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/SampleTrace.h"

#include "report/compare/Diff.h"
#include "report/formats/Reports.h"
#include "report/text/CsvField.h"
#include "report/text/TextReport.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace inmem;
using namespace inmem::report;
using namespace inmem::test;
using nlohmann::json;

namespace {

Profile sampleProfile() {
  const std::vector Traces = {readText(kSample)};
  return *buildProfile(Traces);
}

/// A type and a function of 500 characters, control characters, no UTF-8.
Profile nastyProfile() {
  std::string Long = "ns::Outer<";
  while (Long.size() < 500)
    Long += "ns::Inner<int, ns::Leaf>, ";
  Long += "int>";
  const std::string Odd = "bad\x1b[31m\xff\n\"quoted\", name";
  const std::vector Traces = {readText(
      "header state=running pid=1\nextent meta\n process \"" +
      std::string(300, 'p') +
      "\"\n type index=1 id=1 size=8 name=" + trace::quoted(Long) +
      "\n type index=2 id=2 size=8 name=" + trace::quoted(Odd) +
      "\n site id=1 type=1 kind=new function=" + trace::quoted(Long) +
      " file=" + trace::quoted("/" + std::string(400, 'd') + "/f.cpp") +
      " line=1\n site id=2 type=2 kind=new function=" + trace::quoted(Odd) +
      " file=\"a,b.cpp\" line=2\n"
      "extent rows owner=1\n"
      " row site=1 type=1 allocations=1000000000 bytes=8000000000 "
      "frees=999999999 freed-bytes=7999999992 temporary=5 timed=9 "
      "weighted-timed=9 sum=90000000000 min=9999999999 max=10000000001\n"
      "  octave 31 1=9/72\n"
      " row site=2 type=2 allocations=1 bytes=8\n")};
  return *buildProfile(Traces);
}

TEST(Json, HoldsTheContract) {
  const Profile P = sampleProfile();
  const json J = json::parse(printJson(P, {}));
  EXPECT_EQ(J["schema"], "inmem-report/1");
  const json &Process = J["processes"][0];
  EXPECT_EQ(Process["pid"], 7);
  EXPECT_EQ(Process["command"], (json{"./app", "", "-v"}));
  EXPECT_EQ(Process["host"], "box");
  EXPECT_EQ(Process["start_unix_ns"], 100);
  EXPECT_EQ(Process["duration_ns"], 1000);
  EXPECT_EQ(Process["complete"], true);
  EXPECT_EQ(Process["clock"], "exact");
  EXPECT_EQ(Process["dropped_events"], 0);
  const auto AddUp = [](const json &C) {
    EXPECT_EQ(C["allocations"].get<uint64_t>(),
              C["frees"].get<uint64_t>() +
                  C["live_allocations"].get<uint64_t>());
    EXPECT_EQ(C["allocated_bytes"].get<uint64_t>(),
              C["freed_bytes"].get<uint64_t>() +
                  C["live_bytes"].get<uint64_t>());
    for (const char *Key : {"peak_live_bytes", "temporary_allocations"})
      EXPECT_TRUE(C.contains(Key));
  };
  AddUp(J["totals"]);
  uint64_t Bytes = 0;
  for (const json &T : J["types"]) {
    AddUp(T);
    Bytes += T["allocated_bytes"].get<uint64_t>();
    for (const char *Key : {"type", "size", "align", "elements", "objects",
                            "lifetime", "sites", "alias"})
      EXPECT_TRUE(T.contains(Key)) << Key;
    uint64_t SiteBytes = 0;
    for (const json &S : T["sites"]) {
      SiteBytes += S["allocated_bytes"].get<uint64_t>();
      for (const char *Key : {"function", "file", "line", "column", "kind",
                              "allocations", "live_bytes"})
        EXPECT_TRUE(S.contains(Key)) << Key;
    }
    EXPECT_EQ(SiteBytes, T["allocated_bytes"].get<uint64_t>());
    const json &L = T["lifetime"];
    if (L.is_null())
      continue;
    EXPECT_EQ(L["unit"], "ns");
    EXPECT_EQ(L["count"], T["frees"]);
    uint64_t Count = 0, Last = 0;
    for (const json &B : L["histogram"]) {
      EXPECT_LT(B["from"].get<uint64_t>(), B["to"].get<uint64_t>());
      EXPECT_GE(B["from"].get<uint64_t>(), Last);
      Last = B["to"];
      Count += B["count"].get<uint64_t>();
    }
    EXPECT_EQ(Count, L["count"].get<uint64_t>());
  }
  EXPECT_EQ(Bytes, J["totals"]["allocated_bytes"].get<uint64_t>());
}

TEST(Json, UnknownIsNullAndNeverZero) {
  const json J = json::parse(printJson(sampleProfile(), {}));
  const json *Unknown = nullptr;
  for (const json &T : J["types"])
    if (T["type"].is_null())
      Unknown = &T;
  ASSERT_TRUE(Unknown);
  for (const char *Key : {"size", "align", "elements", "objects", "alias"})
    EXPECT_TRUE((*Unknown)[Key].is_null()) << Key;
  EXPECT_TRUE((*Unknown)["sites"][0]["line"].is_null());
}

TEST(Json, ThereIsNoLineWithoutAFile) {
  const auto Built = buildProfile(std::vector{
      readText("header state=complete\nextent meta\n site id=1 kind=malloc "
               "function=__alloc_dir line=115 column=3\nextent rows owner=1\n "
               "row site=1 allocations=1 bytes=8\n")});
  ASSERT_TRUE(Built);
  const json Site = json::parse(printJson(*Built, {}))["types"][0]["sites"][0];
  EXPECT_EQ(Site["function"], "__alloc_dir");
  for (const char *Key : {"file", "line", "column"})
    EXPECT_TRUE(Site[Key].is_null()) << Key;
}

TEST(Json, SpellsTypesExactlyAndAliasesBeside) {
  const json J = json::parse(printJson(sampleProfile(), {}));
  bool Seen = false;
  for (const json &T : J["types"])
    if (T["type"] == "std::_Rb_tree_node<std::pair<const int, Foo>>") {
      Seen = true;
      EXPECT_EQ(T["alias"], "std::map<int, Foo> node");
    }
  EXPECT_TRUE(Seen);
}

TEST(Json, SurvivesAnyBytesInNames) {
  const json J = json::parse(printJson(nastyProfile(), {}));
  EXPECT_GE(J["types"][0]["type"].get<std::string>().size(), 500u);
  EXPECT_EQ(J["processes"][0]["complete"], false);
}

TEST(Json, BucketsAsAskedForAddUp) {
  View V;
  V.Edges = {15, 1000};
  const json J = json::parse(printJson(sampleProfile(), V));
  for (const json &T : J["types"]) {
    if (T["lifetime"].is_null())
      continue;
    const json &B = T["lifetime"]["buckets"];
    ASSERT_EQ(B.size(), 3u);
    uint64_t Count = 0;
    for (const json &One : B)
      Count += One["count"].get<uint64_t>();
    EXPECT_EQ(Count, T["frees"].get<uint64_t>());
    EXPECT_TRUE(B[2]["to"].is_null());
  }
}

TEST(Csv, QuotesAsRfc4180Says) {
  EXPECT_EQ(csvField("plain"), "plain");
  EXPECT_EQ(csvField("a,b"), "\"a,b\"");
  EXPECT_EQ(csvField("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(csvField("a\nb"), "\"a\nb\"");
}

/// Rows and fields of CSV text.
std::vector<std::vector<std::string>> parseCsv(const std::string &Text) {
  std::vector<std::vector<std::string>> Rows(1, {""});
  bool Quoted = false;
  for (size_t I = 0; I < Text.size(); ++I) {
    const char C = Text[I];
    if (C == '"' && Quoted && I + 1 < Text.size() && Text[I + 1] == '"') {
      Rows.back().back() += '"';
      ++I;
    } else if (C == '"') {
      Quoted = !Quoted;
    } else if (C == ',' && !Quoted) {
      Rows.back().emplace_back();
    } else if (C == '\r' && !Quoted) {
      ++I;
      Rows.push_back({""});
    } else {
      Rows.back().back() += C;
    }
  }
  Rows.pop_back();
  return Rows;
}

TEST(Csv, HasAHeaderAndARowForEach) {
  for (const Profile &P : {sampleProfile(), nastyProfile()})
    for (const By What : {By::Type, By::Site, By::Thread}) {
      View V;
      V.Tables = {What};
      V.Edges = {100};
      const auto Rows = parseCsv(printCsv(P, V));
      const size_t Expected = What == By::Type   ? P.Types.size()
                              : What == By::Site ? P.Sites.size()
                                                 : P.Threads.size();
      EXPECT_EQ(Rows.size(), Expected + 1);
      for (const auto &Row : Rows)
        EXPECT_EQ(Row.size(), Rows[0].size());
    }
}

void fits(const std::string &Text, unsigned Width) {
  std::istringstream Lines(Text);
  for (std::string Line; std::getline(Lines, Line);)
    EXPECT_LE(displayWidth(Line), Width) << Line;
}

TEST(Text, NoLineIsWiderThanTheTerminal) {
  for (const Profile &P : {sampleProfile(), nastyProfile()})
    for (const unsigned Width : {40u, 64u, 80u, 100u, 133u, 200u})
      for (const bool Unicode : {true, false}) {
        TextOptions Options;
        Options.Look = {Width, false, Unicode};
        View V;
        fits(printText(P, V, Options), Width);
        V.Tables = {By::Type, By::Site, By::Thread};
        V.Edges = {5'000'000'000, 15'000'000'000, 25'000'000'000};
        fits(printText(P, V, Options), Width);
        fits(printDiffText(compare(sampleProfile(), P), V, Options.Look),
             Width);
      }
}

TEST(Text, TheNameOfARowIsTheLastToGo) {
  const Profile P = sampleProfile();
  View V;
  V.Tables = {By::Type, By::Site};
  for (unsigned Width = 28; Width < 120; Width += 4) {
    TextOptions Options;
    Options.Look.Width = Width;
    const std::string Text = printText(P, V, Options);
    for (const char *Word : {"\n  type", "\n  alloc"})
      EXPECT_NE(Text.find(Word), std::string::npos) << Width << '\n' << Text;
  }
}

TEST(Text, TheLibrariesOwnMemoryIsOneLineAndNoLeak) {
  Profile P;
  const auto Add = [&P](const char *Function, const char *Module,
                        uint64_t Blocks, uint64_t Bytes) {
    SiteResult S;
    S.Kind = "caller";
    S.Where.Function = Function;
    S.Module = Module;
    S.Sum.Allocations = S.Sum.LiveAllocations = Blocks;
    S.Sum.AllocatedBytes = S.Sum.LiveBytes = Bytes;
    P.Sites.push_back(std::move(S));
  };
  P.Types.resize(1);
  Add("libstdc++.so.6+0xa57ba", "/usr/lib/libstdc++.so.6.0.30", 1, 72704);
  Add("_IO_file_doallocate", "/usr/lib/libc.so.6", 2, 8192);
  const std::string Own = printText(P, {}, {});
  EXPECT_NE(Own.find("STILL ALIVE"), Own.npos);
  EXPECT_NE(Own.find("79.0 KiB in 3 blocks are the C and C++ libraries' own"),
            Own.npos)
      << Own;
  EXPECT_EQ(Own.find("doallocate"), Own.npos);
  // One of each process, and what a reset or sampling leaves of them.
  Counts &Pool = P.Sites[0].Sum;
  const Counts One = Pool;
  Pool.Allocations = Pool.LiveAllocations = 3;
  Pool.AllocatedBytes = Pool.LiveBytes = uint64_t{3} * 72704;
  P.Processes.resize(3);
  EXPECT_EQ(printText(P, {}, {}).find("+0xa57ba"), Own.npos);
  P.Processes.clear();
  Pool = One;
  Pool.Allocations = Pool.AllocatedBytes = 0;
  Pool.CarriedAllocations = 1;
  Pool.CarriedBytes = 72704;
  EXPECT_EQ(printText(P, {}, {}).find("+0xa57ba"), Own.npos);
  Pool = One;
  Pool.Estimated = true;
  Pool.AllocatedBytes = Pool.LiveBytes = 99000; // of a weight of 1.36
  EXPECT_EQ(printText(P, {}, {}).find("+0xa57ba"), Own.npos);
  Pool = One;
  // Allocations that a program has the libraries make are its own.
  Add("fdopen", "/usr/lib/libc.so.6", 7, 3304);
  Add("libstdc++.so.6+0x1", "/usr/lib/libstdc++.so.6.0.30", 2, 145408);
  Add("_IO_file_doallocate", "/opt/app/libother.so", 1, 4096);
  const std::string All = printText(P, {}, {});
  for (const char *Its :
       {"fdopen", "libstdc++.so.6+0x1", "_IO_file_doallocate"})
    EXPECT_NE(All.find(Its), All.npos) << Its;
}

TEST(Text, TheLibrariesOwnMemoryDoesNotLeadThePeak) {
  Profile P;
  P.Types.resize(2);
  P.Types[1].Name = "Foo";
  const auto Add = [&P](size_t Type, const char *Function, const char *Module,
                        uint64_t Bytes, uint64_t AtLeast) {
    SiteResult S;
    S.Type = Type;
    S.Kind = "caller";
    S.Where.Function = Function;
    S.Module = Module;
    S.Sum.Allocations = S.Sum.LiveAllocations = 1;
    S.Sum.AllocatedBytes = S.Sum.LiveBytes = Bytes;
    S.Peak = AtPeak{AtLeast, Bytes, 1, 1};
    if (!P.Types[Type].Peak)
      P.Types[Type].Peak = AtPeak{};
    P.Types[Type].Peak->add(*S.Peak);
    P.Sites.push_back(std::move(S));
  };
  Add(0, "libstdc++.so.6+0xa57b9", "/usr/lib/libstdc++.so.6", 72704, 72704);
  Add(1, "make", "/bin/app", 4096, 4096);
  P.PeakLiveBytes = 76800;
  P.Totals.LiveBytes = 1;
  const auto Peak = [&P] {
    const std::string Text = printText(P, {}, {});
    return Text.substr(Text.find("ALIVE AT THE PEAK"));
  };
  const std::string Own = Peak();
  EXPECT_EQ(Own.find("unknown type"), Own.npos) << Own;
  EXPECT_EQ(Own.find("+0xa57b9"), Own.npos) << Own;
  EXPECT_NE(Own.find("71.0 KiB in 1 block are the C and C++ libraries' own"),
            Own.npos)
      << Own;
  // Other rows without a type remain, with their own bytes.
  Add(0, "fdopen", "/usr/lib/libc.so.6", 1024, 0);
  const std::string Mixed = Peak();
  EXPECT_NE(Mixed.find("(unknown type)  ≤1.0 KiB"), Mixed.npos) << Mixed;
  EXPECT_LT(Mixed.find("Foo"), Mixed.find("(unknown type)"));
}

TEST(Text, HasColourOnlyIfAsked) {
  TextOptions Options;
  EXPECT_EQ(printText(nastyProfile(), {}, Options).find('\x1b'),
            std::string::npos);
  Options.Look.Colour = true;
  EXPECT_NE(printText(nastyProfile(), {}, Options).find('\x1b'),
            std::string::npos);
}

TEST(Text, IsAsciiWithoutUnicode) {
  TextOptions Options;
  Options.Look.Unicode = false;
  const std::string Text = printText(nastyProfile(), {}, Options);
  for (const char C : Text)
    EXPECT_LT(static_cast<unsigned char>(C), 128);
  EXPECT_NE(Text.find("ns"), std::string::npos);
}

TEST(Text, SaysWhatMatters) {
  const std::string Text = printText(sampleProfile(), {}, {});
  for (const char *Part :
       {"std::map<int, Foo> node", "still alive", "peak", "(unknown type)",
        "src/b.cpp:9", "OBJECTS", "libx.so+0x4f", "./app"})
    EXPECT_NE(Text.find(Part), std::string::npos) << Part << "\n" << Text;
}

/// The line of a text that has a part.
std::string lineWith(const std::string &Text, const std::string &Part) {
  const size_t At = Text.find(Part);
  if (At == std::string::npos)
    return "no " + Part + " in\n" + Text;
  const size_t Begin = Text.rfind('\n', At) + 1;
  return Text.substr(Begin, Text.find('\n', At) - Begin);
}

TEST(Text, ASitesShareIsOfItsType) {
  // B has 200 of 1000 bytes in all; its sites have 150 and 50 of them.
  const std::vector Traces = {
      readText("header\nextent meta\n"
               " type index=1 id=1 size=8 name=\"A\"\n"
               " type index=2 id=2 size=10 name=\"B\"\n"
               " site id=1 type=1 kind=new function=\"a\" file=\"a.cpp\" "
               "line=1\n"
               " site id=2 type=2 kind=new function=\"b\" file=\"b.cpp\" "
               "line=2\n"
               " site id=3 type=2 kind=new function=\"b\" file=\"b.cpp\" "
               "line=3\n"
               "extent rows owner=1\n"
               " row site=1 type=1 allocations=100 bytes=800\n"
               " row site=2 type=2 allocations=15 bytes=150\n"
               " row site=3 type=2 allocations=5 bytes=50\n")};
  const std::string Text = printText(*buildProfile(Traces), {}, {});
  EXPECT_NE(lineWith(Text, "b.cpp:2").find(" 75.0 %"), std::string::npos)
      << Text;
  EXPECT_NE(lineWith(Text, "b.cpp:3").find(" 25.0 %"), std::string::npos)
      << Text;
}

TEST(Text, LeakedObjectsAreToldByTheirBlocksToo) {
  // Texture and Plain have no destructor that is counted; make_shared put
  // Session into blocks of another type.
  const std::vector Traces = {readText(
      "header state=complete\nextent meta\n"
      " type index=1 id=1 size=8 name=\"Texture\"\n"
      " type index=2 id=2 size=8 name=\"Session\"\n"
      " type index=3 id=3 size=32 name=\"std::_Sp_counted_ptr_inplace<Session, "
      "std::allocator<void>, (__gnu_cxx::_Lock_policy)2>\"\n"
      " type index=4 id=4 size=8 name=\"Plain\"\n"
      " site id=1 type=1 kind=new file=\"a.cpp\" line=1\n"
      " site id=2 type=3 kind=allocator file=\"a.cpp\" line=2\n"
      " site id=3 type=4 kind=new file=\"a.cpp\" line=3\n"
      " object module=1 cell=0 type=1 class=\"Texture\" event=constructed "
      "storage=heap file=\"a.cpp\" line=1\n"
      " object module=1 cell=1 type=2 class=\"Session\" event=constructed "
      "storage=placed file=\"a.cpp\" line=2\n"
      " object module=1 cell=2 type=2 class=\"Session\" event=destroyed\n"
      " object module=1 cell=3 type=4 class=\"Plain\" event=constructed "
      "storage=heap file=\"a.cpp\" line=3\n"
      "extent rows owner=1\n"
      " row site=1 type=1 allocations=2003 bytes=16024 frees=3 freed-bytes=24\n"
      " row site=2 type=3 allocations=70 bytes=2240\n"
      " row site=3 type=4 allocations=9 bytes=72 frees=9 freed-bytes=72\n"
      "extent counters module=1 owner=1\n counts 2003 70 0 9\n")};
  const std::string Text = printText(*buildProfile(Traces), {}, {});
  const std::string Section = Text.substr(Text.find("NEVER DESTROYED"));
  EXPECT_THAT(lineWith(Section, "Texture"),
              testing::ContainsRegex("≥2000 +2003 +Texture +2000 +.*a.cpp:1"));
  EXPECT_THAT(lineWith(Section, "Session"),
              testing::ContainsRegex("^ +70 +70 +Session +70 +.*a.cpp:2"));
  EXPECT_EQ(Section.find("Plain"), std::string::npos) << Section;
}

TEST(Text, RunsOfOneCommandAreOneLine) {
  Profile P;
  for (uint64_t I = 1; I <= 1000; ++I) {
    ProcessResult One;
    One.Pid = I;
    One.Command = {I == 500 ? "./other" : "./parser", "x"};
    One.DurationNs = I * 1000000;
    One.Complete = I > 3;
    One.AllocatedBytes = I == 500 ? 2048 : 1;
    P.Processes.push_back(One);
  }
  const std::string Text = printText(P, {}, {});
  EXPECT_EQ(lineWith(Text, "parser"),
            "  999 runs of ./parser x  (pid 1 and others · 1.0 ms to 1.0 s · "
            "999 B · 3 not complete)");
  EXPECT_EQ(lineWith(Text, "other x"),
            "  ./other x  (pid 500 · 500 ms · 2.0 KiB)");
  // The largest allocator comes first.
  EXPECT_LT(Text.find("other x"), Text.find("parser"));
  EXPECT_EQ(Text.find("more process"), std::string::npos);
}

/// A site in a header of the library, and the stack that leads there.
Profile madeInALibrary(bool WithStacks) {
  Profile P;
  P.WholeRun = true;
  TypeResult T;
  T.Name = "Foo";
  T.Sites = {0};
  T.Sum.Allocations = T.Sum.LiveAllocations = 2;
  T.Sum.AllocatedBytes = T.Sum.LiveBytes = 64;
  P.Totals = T.Sum;
  P.Types.push_back(T);
  SiteResult S;
  S.Where = {"std::vector<Foo>::_M_grow", "/usr/include/c++/12/vector", 9, 1};
  S.Sum = T.Sum;
  P.Sites.push_back(S);
  if (WithStacks) {
    P.Calls.Frames.resize(3);
    P.Calls.Frames[0].Where = {"main", "main.cpp", 3, 0};
    P.Calls.Frames[1].Where = {"shop::fill", "shop.cpp", 7, 0};
    P.Calls.Frames[2].Where = S.Where;
    StackResult R;
    R.Frames = {0, 1, 2};
    R.Sum = T.Sum;
    P.Calls.Stacks.push_back(R);
    P.Sites[0].Caller = P.Calls.Frames[1].Where;
  }
  return P;
}

TEST(Text, BlocksAreMadeByTheUsersCode) {
  const std::string Without = printText(madeInALibrary(false), {}, {});
  EXPECT_NE(Without.find("INMEM_OPTIONS=stacks=16"), std::string::npos);
  const std::string Text = printText(madeInALibrary(true), {}, {});
  const std::string Alive = Text.substr(Text.find("STILL ALIVE"));
  EXPECT_THAT(lineWith(Alive, "Foo"),
              testing::HasSubstr("shop::fill  shop.cpp:7"));
  EXPECT_EQ(Text.find("INMEM_OPTIONS"), std::string::npos) << Text;
}

TEST(Text, EqualPlacesAreToldApart) {
  const auto Sites = [](const std::string &More) {
    const std::vector Traces = {readText(
        "header state=complete\nextent meta\n"
        " type index=1 id=1 size=8 name=\"Foo\"\n"
        " site id=1 type=1 kind=new function=\"make\" file=\"a.cpp\" line=3 "
        "column=4\n site id=2 type=1 " +
        More +
        " function=\"make\" file=\"a.cpp\" line=3\n"
        "extent rows owner=1\n row site=1 type=1 allocations=2 bytes=16\n"
        " row site=2 type=1 allocations=1 bytes=8\n")};
    View V;
    V.Tables = {By::Type, By::Site};
    return printText(*buildProfile(Traces), V, {});
  };
  const std::string Columns = Sites("kind=new column=20");
  EXPECT_THAT(Columns, testing::HasSubstr("make  a.cpp:3:4"));
  EXPECT_THAT(Columns, testing::HasSubstr("make  a.cpp:3:20"));
  const std::string Kinds = Sites("kind=malloc column=4");
  EXPECT_THAT(Kinds, testing::HasSubstr("make  a.cpp:3 (new)"));
  EXPECT_THAT(Kinds, testing::HasSubstr("make  a.cpp:3 (malloc)"));
}

TEST(Text, PoolsThatHideBlocksAreNamed) {
  const std::vector Traces = {
      readText("header state=complete\nextent meta\n"
               " site id=1 kind=caller function=\"_PyObject_Malloc\"\n"
               " site id=2 kind=caller function=\"new_arena\"\n"
               "extent rows owner=1\n row site=1 allocations=2 bytes=1600\n"
               " row site=2 allocations=1 bytes=8\n")};
  const std::string Text = printText(*buildProfile(Traces), {}, {});
  const size_t At = Text.find("PYTHONMALLOC=malloc");
  EXPECT_NE(At, std::string::npos) << Text;
  EXPECT_EQ(Text.find("PYTHONMALLOC", At + 1), std::string::npos) << Text;
}

TEST(Text, TopZeroLeavesNothingOut) {
  std::string Meta = "header state=complete\nextent meta\n", Rows, Counts;
  for (int I = 1; I <= 14; ++I) {
    const std::string N = std::to_string(I), Class = "\"T" + N + '"';
    const auto Object = [&](int Cell, const std::string &Words) {
      Meta += " object module=1 cell=" + std::to_string(3 * I - 3 + Cell) +
              " type=" + N + " class=" + Class + " event=" + Words + "\n";
    };
    Meta += " type index=" + N + " id=" + N + " size=8 name=" + Class +
            "\n site id=" + N + " type=" + N + " kind=new function=\"f" + N +
            "\" file=\"a.cpp\" line=" + N + "\n";
    Object(0, "constructed storage=heap manner=default line=" + N);
    Object(1, "constructed storage=stack manner=copy line=" + N);
    Object(2, "destroyed");
    Rows += " row site=" + N + " type=" + N + " allocations=2 bytes=16\n";
    Counts += " 2 1 1";
  }
  const std::vector Traces = {readText(Meta + "extent rows owner=1\n" + Rows +
                                       "extent counters module=1 owner=1\n"
                                       " counts" +
                                       Counts + "\n")};
  const Profile P = *buildProfile(Traces);
  View V;
  V.Top = 0;
  const std::string All = printText(P, V, {});
  EXPECT_EQ(All.find(" more "), std::string::npos) << All;
  V.Top = 20;
  const std::string Some = printText(P, V, {});
  for (const char *Line : {"4 more sites with 64 B (--top 0 shows all)",
                           "4 more places (--top 0 shows all)",
                           "4 more classes (--top 0 shows all)"})
    EXPECT_NE(Some.find(Line), std::string::npos) << Line << '\n' << Some;
}

TEST(View, RowsOfEqualKeyKeepTheirOrder) {
  Profile P;
  P.Types.resize(100);
  View V;
  for (const SortName &S : sortNames()) {
    if (S.Order == Sort::Name)
      continue;
    V.Order = S.Order;
    const std::vector<size_t> Rows = selectTypes(P, V);
    ASSERT_EQ(Rows.size(), 100u);
    EXPECT_TRUE(std::is_sorted(Rows.begin(), Rows.end())) << S.Word;
  }
}

TEST(View, TopSortAndMinBytesChooseRows) {
  const Profile P = sampleProfile();
  View V;
  V.Top = 1;
  EXPECT_EQ(P.Types[selectTypes(P, V).at(0)].Name, "Foo");
  V.Order = Sort::Name;
  EXPECT_FALSE(P.Types[selectTypes(P, V).at(0)].Name); // unknown first
  V.Top = 0;
  V.MinBytes = 200;
  EXPECT_EQ(selectTypes(P, V).size(), 1u);
  for (const SortName &S : sortNames()) {
    V.Order = S.Order;
    EXPECT_EQ(selectTypes(P, V).size(), 1u) << S.Word;
  }
}

} // namespace
