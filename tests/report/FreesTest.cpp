//===- FreesTest.cpp - Who freed what, as text ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProfileOf.h"
#include "support/SampleTrace.h"

#include "report/text/ViewReports.h"

#include <gmock/gmock.h>

using namespace inmem::report;
using inmem::test::readText;
using testing::HasSubstr;

TEST(Frees, NarrowTablesKeepTheArrowAndTheName) {
  const Profile P = profileOf(readText(R"(
header state=complete pid=7
extent meta
  module id=1 path="/bin/app"
  thread index=1 tid=70 name="main"
  type index=1 id=1 size=8 name="Foo"
  site id=1 type=1 kind=new function="_ZN9catalogue7readAllEv" file="src/catalogue/read.cpp" line=30
  address id=1 module=1 offset=0x10
  symbol address=1
    frame function="_ZN9catalogue7dropAllEv" file="src/catalogue/drop.cpp" line=40
  stack id=1 address=1
extent rows owner=1
  row site=1 type=1 allocations=4 bytes=32 frees=4 freed-bytes=32
extent frees owner=1
  freed site=1 stack=1 thread=1 frees=4 bytes=32
)"),
                              {});
  Style Look;
  Look.Width = 40;
  for (const bool Unicode : {true, false}) {
    Look.Unicode = Unicode;
    const std::string Arrow = Unicode ? "→ " : "> ", Cut = Unicode ? "…" : "..";
    const std::string Text = freesText(P, View(), Look);
    EXPECT_THAT(Text, HasSubstr("    4    " + Arrow + Cut));
    EXPECT_THAT(Text, HasSubstr("drop.cpp:40\n"));
    EXPECT_THAT(Text, HasSubstr("    4    " + Arrow + "thread 1 main"));
  }
}
