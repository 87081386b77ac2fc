//===- ExportsTest.cpp - Exports as their readers see them ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/SampleTrace.h"

#include "report/formats/Export.h"
#include "report/formats/ExportSamples.h"

#include <gmock/gmock.h>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace inmem;
using namespace inmem::report;
using inmem::test::readText;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;

namespace {

/// f() allocated most, g() had most at the peak, and a block of h(), which was
/// never freed, was allocated after it.
Profile threeSites(const char *Peak) {
  const std::vector Traces = {
      readText(std::string(R"(header state=complete pid=7 peak-live-bytes=416
extent meta
  thread index=1 tid=70 name="main"
  type index=1 id=0x11 size=16 align=8 name="Foo"
  type index=2 id=0x12 size=8 align=8 name="Bar"
  site id=1 type=1 key=0x1 kind=new function="f" file="a.cpp" line=1
  site id=2 type=2 key=0x2 kind=new function="g" file="a.cpp" line=2
  site id=3 type=2 key=0x3 kind=new function="h" file="a.cpp" line=3
extent rows owner=1
  row site=1 type=1 allocations=100 bytes=1600 frees=100 freed-bytes=1600
  row site=2 type=2 allocations=50 bytes=400 frees=50 freed-bytes=400 temporary=1
  row site=3 type=2 allocations=1 bytes=8
)") + Peak)};
  return *buildProfile(Traces);
}
constexpr char kKnownPeak[] = R"(extent peak-rows sequence=1
  near-peak order=1 bytes=416
  near-peak site=1 allocations=1 bytes=16
  near-peak site=2 allocations=50 bytes=400
)";

/// Figures that heaptrack computes from its file: bytes alive at the peak by
/// the function below the type, bytes never freed, temporary allocations.
struct Heaptrack {
  std::map<std::string, uint64_t> AtPeak;
  uint64_t Peak = 0, Leaked = 0, Temporary = 0, Blocks = 0;

  explicit Heaptrack(const std::string &File) {
    std::istringstream Lines(File);
    std::vector<std::string> Strings{""};
    std::vector<uint64_t> Names{0}; // of instruction pointers
    std::vector<std::pair<uint64_t, uint64_t>> Traces{{0, 0}}, Infos;
    std::map<std::string, uint64_t> Live;
    std::optional<uint64_t> Last;
    for (std::string Line; std::getline(Lines, Line);) {
      std::istringstream In(Line.substr(std::min<size_t>(2, Line.size())));
      In >> std::hex;
      uint64_t A = 0, B = 0, C = 0;
      switch (Line[0]) {
      case 's':
        Strings.push_back(Line.substr(2));
        break;
      case 'i':
        In >> A >> B >> C;
        Names.push_back(C);
        break;
      case 't':
        In >> A >> B;
        Traces.emplace_back(A, B);
        break;
      case 'a':
        In >> A >> B;
        Infos.emplace_back(A, B);
        break;
      case '+':
      case '-': {
        In >> A;
        const auto &[Size, Trace] = Infos.at(A);
        const std::string &Of =
            Strings.at(Names.at(Traces.at(Traces.at(Trace).second).first));
        if (Line[0] == '+') {
          ++Blocks;
          Live[Of] += Size;
          Leaked += Size;
          if (Leaked > Peak) {
            Peak = Leaked;
            AtPeak = Live;
          }
          Last = A;
        } else {
          Temporary += Last == A;
          Live[Of] -= Size;
          Leaked -= Size;
          Last.reset();
        }
        break;
      }
      default:
        break;
      }
    }
    std::erase_if(AtPeak, [](const auto &Row) { return Row.second == 0; });
  }
};

TEST(HeaptrackExport, HasAtThePeakWhatReportsHave) {
  const Heaptrack H(writeHeaptrack(threeSites(kKnownPeak)));
  EXPECT_EQ(H.Peak, 416u);
  EXPECT_THAT(H.AtPeak, UnorderedElementsAre(Pair("f", 16), Pair("g", 400)));
  EXPECT_EQ(H.Blocks, 151u);
  EXPECT_EQ(H.Leaked, 8u);
  EXPECT_EQ(H.Temporary, 1u); // the last of g()'s
}

TEST(HeaptrackExport, HasThePeakIfItsPartsAreUnknown) {
  const Heaptrack H(writeHeaptrack(threeSites("")));
  EXPECT_EQ(H.Peak, 416u);
  EXPECT_EQ(H.Blocks, 151u);
  EXPECT_EQ(H.Leaked, 8u);
}

TEST(SpeedscopeExport, HasTheHeaviestPathFirst) {
  const std::vector Traces = {readText(R"(header state=complete pid=7
extent meta
  type index=1 id=0x11 size=8 align=8 name="Foo"
  site id=1 type=1 key=0x1 kind=new function="light" file="a.cpp" line=1
  site id=2 type=1 key=0x2 kind=new function="heavy" file="a.cpp" line=2
  site id=3 type=1 key=0x3 kind=new function="lightest" file="a.cpp" line=1
  site id=4 type=1 key=0x4 kind=new function="middle" file="a.cpp" line=3
extent rows owner=1
  row site=1 type=1 allocations=3 bytes=24
  row site=2 type=1 allocations=9 bytes=72
  row site=3 type=1 allocations=2 bytes=16
  row site=4 type=1 allocations=4 bytes=32
)")};
  const auto Format =
      std::ranges::find(exportFormats(), "speedscope", &ExportFormat::Name);
  const json J = json::parse(Format->Write(*buildProfile(Traces)));
  std::vector<std::string> Order;
  for (const json &Stack : J["profiles"][0]["samples"])
    Order.push_back(J["shared"]["frames"][Stack[0].get<size_t>()]["name"]);
  EXPECT_THAT(Order, ElementsAre("heavy", "middle", "light", "lightest"));
  EXPECT_EQ(J["profiles"][0]["weights"], (json{72, 32, 24, 16}));
}

TEST(PprofExport, HasTypesAsLeavesOnlyOnRequest) {
  const Profile P = threeSites("");
  EXPECT_THAT(writePprofTypes(P), HasSubstr("type Foo"));
  EXPECT_THAT(writePprof(P), testing::Not(HasSubstr("type Foo")));
}

/// A call of the program into the C++ library.
Profile oneLibraryCall() {
  const std::vector Traces = {readText(R"(header state=complete pid=7
extent meta
  process "/opt/app"
  type index=1 id=0x11 size=8 align=8 name="Foo"
  site id=1 type=1 key=0x1 kind=new function="_ZNSt3foo3barEv" file="/usr/include/c++/12/bits/foo.h" line=1
    frame function="_Z4mainv" file="a.cpp" line=2
extent rows owner=1
  row site=1 type=1 allocations=3 bytes=24
)")};
  return *buildProfile(Traces);
}

TEST(CallgrindExport, LibraryCodeIsAnObject) {
  const std::string Text = writeCallgrind(oneLibraryCall());
  EXPECT_THAT(Text, HasSubstr("[library]\ncfi=(2) /usr/include/c++/12/bits/"
                              "foo.h\ncfn=(2) std::foo::bar"));
  EXPECT_THAT(Text, testing::ContainsRegex("ob=\\([0-9]+\\) app\n"));
}

TEST(PprofExport, LibraryCodeIsAMapping) {
  const std::string Bytes = writePprof(oneLibraryCall());
  EXPECT_THAT(Bytes, HasSubstr("[library]"));
  EXPECT_THAT(Bytes, HasSubstr("app"));
}

TEST(MassifExport, APeakBetweenTwoPointsHasASnapshot) {
  Profile P;
  P.Timeline = {
      {0, "start", ""}, {5000000, "periodic", ""}, {9000000, "end", ""}};
  TypeResult T;
  T.Name = "Foo";
  T.LiveBytesAt = {0, 300, 100};
  P.Types = {T};
  const auto Format =
      std::ranges::find(exportFormats(), "massif", &ExportFormat::Name);
  P.PeakLiveBytes = 300;
  EXPECT_THAT(Format->Write(P),
              HasSubstr("snapshot=1\n#-----------\ntime=5\nmem_heap_B=300\n"
                        "mem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=peak\n"
                        "n1: 300 "));
  P.PeakLiveBytes = 450;
  const std::string Higher = Format->Write(P);
  EXPECT_THAT(Higher, HasSubstr("snapshot=2\n#-----------\ntime=5\n"
                                "mem_heap_B=450\nmem_heap_extra_B=0\n"
                                "mem_stacks_B=0\nheap_tree=peak\nn2: 450 "));
  EXPECT_THAT(Higher, HasSubstr(" n0: 300 0x1: Foo (type)\n n0: 150 in 1 "));
  EXPECT_EQ(Higher.find("heap_tree=peak"), Higher.rfind("heap_tree=peak"));
}

} // namespace
