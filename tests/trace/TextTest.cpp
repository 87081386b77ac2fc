//===- TextTest.cpp - The text form, there and back -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/SampleTrace.h"

using namespace inmem::trace;
using namespace inmem::test;

namespace {

TEST(Text, AssemblesWhatItDumps) {
  const auto First = assembled(kSample);
  const std::string Once = dump((*readBytes(First))[0]);
  const auto Second = assembled(Once);
  EXPECT_EQ(First, Second);
  EXPECT_EQ(Once, dump((*readBytes(Second))[0]));
  for (const char *Word :
       {"header", "process", "type", "field", "site", "frame", "module",
        "thread", "object", "note", "phase", "row", "octave", "cell", "total",
        "counts", "event", "extent snapshot"})
    EXPECT_NE(Once.find(std::string(Word) + " "), std::string::npos) << Word;
}

TEST(Text, StringsKeepEveryByte) {
  const std::string Name = "a \"b\" \\ \n\t\x01 é #x";
  const Trace T = readText("header\nextent meta\n type index=1 id=1 name=" +
                           inmem::trace::quoted(Name) + "\n");
  EXPECT_EQ(T.type(1).Name, Name);
}

TEST(Text, ErrorsNameTheLine) {
  const auto Fails = [](std::string_view Text, std::string_view Message) {
    const auto Bytes = assemble(Text);
    ASSERT_FALSE(Bytes);
    EXPECT_EQ(Bytes.status().str(), Message);
  };
  Fails("", "line 1: the first line is `header ...`");
  Fails("header\nextent nonsense\n", "line 2: no extent 'nonsense'");
  Fails("header\nextent meta\n type nose=1\n", "line 3: no member 'nose' here");
  Fails("header\nextent meta\n type index=x\n",
        "line 3: 'index' needs a number, not 'x'");
  Fails("header clock=sundial\n",
        "line 1: 'clock' needs a number or one of auto, exact, events, not "
        "'sundial'");
  Fails("header\nextent meta\n field name=\"x\"\n",
        "line 3: 'field' without the record it belongs to");
  Fails("header\nextent meta\n type name=\"x\n",
        "line 3: string without an end");
}

TEST(Text, TypesForPeopleShowOffsetsAndBitFields) {
  std::string Out;
  dumpTypes(readText(kSample), [&](std::string_view Piece) { Out += Piece; });
  EXPECT_NE(Out.find("Foo  (24 bytes, align 8"), std::string::npos) << Out;
  EXPECT_NE(Out.find("+16.2"), std::string::npos) << Out;
  EXPECT_NE(Out.find("pointer Foo * next"), std::string::npos) << Out;
}

} // namespace
