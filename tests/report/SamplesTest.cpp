//===- SamplesTest.cpp - Where threads were -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProfileOf.h"
#include "support/SampleTrace.h"

#include "report/formats/Export.h"
#include "report/formats/Reports.h"
#include "report/text/TextReport.h"

#include <gmock/gmock.h>
#include <map>

using namespace inmem;
using namespace inmem::report;
using namespace inmem::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

namespace {

/// main calls work, which calls malloc. Two sessions of one clock.
constexpr char kSampled[] = R"text(
header state=complete
extent meta
  module id=1 base=0x1000 path="/bin/app"
  module id=2 base=0x9000 path="/usr/lib/libc.so.6"
  thread index=1 tid=70 name="main"
  type index=1 id=1 size=8 name="A"
  site id=1 type=1 kind=new function="work(int)" file="work.cpp" line=8
  address id=1 module=1 offset=0x10
  symbol address=1
    frame function="main" file="main.cpp" line=3
  address id=2 module=1 offset=0x20
  symbol address=2
    frame function="work(int)" file="work.cpp" line=7
  address id=3 module=2 offset=0x30 function="malloc"
  stack id=1 address=1
  stack id=2 parent=1 address=2
  stack id=3 parent=2 address=3
  profile clock=cpu depth=64 interval=1000 include=INCLUDE exclude=EXCLUDE
  profile clock=cpu depth=64 interval=1000 include=INCLUDE exclude=EXCLUDE
  wait id=1 call=202 machine=62 target="app+0x10"
extent rows owner=1
  row site=1 type=1 allocations=4 bytes=32
extent thread-lives
  thread-life block=1 tid=70 began=10 name="main"
extent profile-cells
  sample stack=2 life=1 session=1 count=6
  sample stack=3 life=1 session=1 count=3
  sample flags=blocked life=1 session=1 count=2
  sample flags=lost life=1 session=1 count=1
  sample stack=2 life=1 wait=1 session=2 count=4
)text";

std::string sampled(std::string_view Include = "",
                    std::string_view Exclude = "") {
  std::string Out = kSampled;
  for (const auto &[Name, Value] :
       {std::pair(std::string_view("INCLUDE"), Include),
        std::pair(std::string_view("EXCLUDE"), Exclude)})
    for (size_t At; (At = Out.find(Name)) != Out.npos;)
      Out.replace(At, Name.size(), "\"" + std::string(Value) + "\"");
  return Out;
}

const SampledFunction &functionOf(const Profile &P, std::string_view Name) {
  static const SampledFunction None;
  for (const SampledFunction &F : P.Samples->Functions)
    if (F.Where.Function == Name)
      return F;
  ADD_FAILURE() << Name;
  return None;
}

TEST(Samples, AddUpByFunctionThreadAndState) {
  const Profile P = profileOf(readText(sampled()), {});
  ASSERT_TRUE(P.Samples);
  const Sampled &S = *P.Samples;
  EXPECT_EQ(S.Clock, "cpu");
  EXPECT_EQ(S.IntervalNs, 1000u);
  EXPECT_EQ(S.Samples, 16u);
  EXPECT_EQ(S.Unwound, 13u);
  EXPECT_EQ(S.Running, 9u);
  EXPECT_EQ(S.Blocked, 4u);
  EXPECT_EQ(S.SignalBlocked, 2u);
  EXPECT_THAT(S.Threads, ElementsAre(Pair("main", 16u)));
  EXPECT_THAT(S.Waits, ElementsAre(Pair("futex app+0x10", 4u)));
  const SampledFunction &Work = functionOf(P, "work(int)");
  EXPECT_EQ(Work.Self, 10u);
  EXPECT_EQ(Work.Total, 13u);
  EXPECT_EQ(Work.Running, 9u);
  EXPECT_EQ(Work.Blocked, 4u);
  EXPECT_EQ(Work.Allocator, 3u) << "malloc ran on its behalf";
  EXPECT_EQ(Work.AllocatedBytes, 32u);
  EXPECT_EQ(Work.Interesting, 13u);
  EXPECT_EQ(functionOf(P, "main").Total, 13u);
  EXPECT_EQ(functionOf(P, "main").Allocator, 0u);
  EXPECT_EQ(functionOf(P, "malloc").Interesting, 0u) << "it has no line";
}

TEST(Samples, HaveTheInterestingFrameThatGlobsChoose) {
  const Profile Included = profileOf(readText(sampled("ma*")), {});
  EXPECT_EQ(functionOf(Included, "malloc").Interesting, 3u);
  EXPECT_EQ(functionOf(Included, "main").Interesting, 10u);
  const Profile Excluded = profileOf(readText(sampled("", "work*")), {});
  EXPECT_EQ(functionOf(Excluded, "main").Interesting, 13u);
  const Profile Bare = profileOf(readText(sampled("", "work")), {});
  EXPECT_EQ(functionOf(Bare, "main").Interesting, 13u) << "no parameters";
}

/// The functions of the table in their order.
std::string orderBy(Sort Order) {
  const Profile P = profileOf(readText(sampled("ma*")), {});
  View V;
  V.Tables = {By::Cpu};
  V.Order = Order;
  const std::string Text = printText(P, V, {});
  std::map<size_t, std::string> Found;
  for (const char *Name : {"main", "work", "malloc"})
    Found[Text.find("\n  " + std::string(Name))] = Name;
  std::string Out;
  for (const auto &[At, Name] : Found)
    Out += Name + ' ';
  return Out;
}

TEST(Samples, StandInTheOrderThatIsAskedFor) {
  EXPECT_EQ(orderBy(Sort::Self), "work malloc main ") << "10, 3, 0";
  EXPECT_EQ(orderBy(Sort::Total), "work main malloc ") << "13, 13, 3";
  EXPECT_EQ(orderBy(Sort::Interesting), "main malloc work ") << "10, 3, 0";
}

TEST(Samples, OfAnotherClockAreToldApart) {
  std::string Text = sampled();
  Text.replace(Text.rfind("clock=cpu"), 9, "clock=wall");
  const Profile P = profileOf(readText(Text), {});
  EXPECT_EQ(P.Samples->Clock, "wall") << "that of the last one";
  EXPECT_EQ(P.Samples->Samples, 4u);
  EXPECT_EQ(P.Samples->Other, 12u);
}

/// main calls a library without symbols, in which three functions call one
/// another; it calls main's callback, and generated code calls nothing.
constexpr char kStripped[] = R"text(
header state=complete
extent meta
  module id=1 base=0x1000 path="/bin/app"
  module id=2 base=0x9000 path="/usr/lib/liblzma.so.5"
  type index=1 id=1 size=8 name="A"
  site id=1 type=1 kind=new function="main" file="main.cpp" line=3
  address id=1 module=1 offset=0x10
  symbol address=1
    frame function="main" file="main.cpp" line=3
  address id=2 module=2 offset=0x20
  address id=3 module=2 offset=0x30
  address id=4 module=2 offset=0x40
  address id=5 module=1 offset=0x50
  symbol address=5
    frame function="back()" file="main.cpp" line=9
  address id=6 module=0 offset=0x70000060
  address id=7 module=0 offset=0x70000070
  stack id=1 address=1
  stack id=2 parent=1 address=2
  stack id=3 parent=2 address=3
  stack id=4 parent=3 address=4
  stack id=5 parent=4 address=5
  stack id=6 parent=5 address=4
  stack id=7 parent=1 address=6
  stack id=8 parent=1 address=7
  profile clock=cpu depth=64 interval=1000
extent rows owner=1
  row site=1 type=1 allocations=1 bytes=8
extent profile-cells
  sample stack=2 session=1 count=1
  sample stack=3 session=1 count=2
  sample stack=4 session=1 count=4
  sample stack=5 session=1 count=8
  sample stack=6 session=1 count=16
  sample stack=7 session=1 count=32
  sample stack=8 session=1 count=64
)text";

TEST(Samples, HaveOneRowForEachModuleWithoutSymbols) {
  const Profile P = profileOf(readText(kStripped), {});
  const SampledFunction &Library = functionOf(P, "liblzma.so.5");
  EXPECT_EQ(Library.Self, 1u + 2 + 4 + 16);
  EXPECT_EQ(Library.Total, 1u + 2 + 4 + 8 + 16) << "a sample counts once";
  EXPECT_EQ(Library.Running, Library.Total);
  EXPECT_THAT(Library.Offsets,
              ElementsAre(Pair(0x40u, 20u), Pair(0x30u, 2u), Pair(0x20u, 1u)))
      << "of code that ran itself";
  EXPECT_EQ(functionOf(P, "(unknown code)").Self, 32u + 64);
  EXPECT_EQ(functionOf(P, "main").Total, 127u);
  EXPECT_EQ(functionOf(P, "back()").Self, 8u);
  EXPECT_EQ(P.Samples->Functions.size(), 4u);
  std::map<std::string, uint64_t> Stacks;
  for (const SampledStack &S : P.Samples->Stacks) {
    std::string Text;
    for (const uint32_t F : S.Frames)
      Text += P.Calls.Frames[F].Where.Function + ";";
    Stacks[Text] += S.Count;
  }
  EXPECT_THAT(Stacks,
              ElementsAre(Pair("main;(unknown code);", 96u),
                          Pair("main;liblzma.so.5;", 7u),
                          Pair("main;liblzma.so.5;back();", 8u),
                          Pair("main;liblzma.so.5;back();liblzma.so.5;", 16u)));
  EXPECT_EQ(P.Samples->Stacks.size(), Stacks.size());
  EXPECT_THAT(printJson(P, {}), HasSubstr("\"offsets\""));
  for (const ExportFormat &F : exportFormats())
    if (F.WriteTimes)
      EXPECT_THAT(F.WriteTimes(P), Not(HasSubstr("+0x"))) << F.Name;
}

TEST(Samples, AreExported) {
  const Profile P = profileOf(readText(sampled()), {});
  unsigned Formats = 0;
  for (const ExportFormat &F : exportFormats()) {
    if (!F.WriteTimes)
      continue;
    ++Formats;
    const std::string Text = F.WriteTimes(P);
    EXPECT_THAT(Text, HasSubstr("work"));
    if (F.Name == "collapsed")
      EXPECT_EQ(Text, "main;work 6000\nmain;work;malloc 3000\n"
                      "main;work 4000\n");
    if (F.Name == "pprof") {
      EXPECT_THAT(Text, HasSubstr("futex app+0x10"));
      EXPECT_THAT(Text, HasSubstr("nanoseconds"));
    }
  }
  EXPECT_EQ(Formats, 4u);
}

} // namespace
