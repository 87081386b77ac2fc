//===- SymbolsTest.cpp - Source positions added to a trace ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/SampleTrace.h"

#include "trace/text/Symbols.h"

#include <algorithm>

using namespace inmem::trace;
using namespace inmem::test;

namespace {

/// The bytes of a trace with what was added to it.
std::vector<std::byte> with(std::vector<std::byte> Bytes,
                            const SymbolAddition &Added) {
  std::copy(Added.Header.begin(), Added.Header.end(), Bytes.begin());
  Bytes.insert(Bytes.end(), Added.Extent.begin(), Added.Extent.end());
  return Bytes;
}

TEST(Symbols, AreReadAsTheyWereAdded) {
  const auto Bytes = assembled(kEverything);
  const Trace Before = (*readBytes(Bytes))[0];
  ASSERT_TRUE(Before.verified());
  const SymbolAddition Added =
      addSymbols(Before, {{1, {{"inner", "a.cpp", 3, 4}, {"outer", "", 70, 0}}},
                          {2, {{"main", "main.cpp", 9, 1}}}});
  EXPECT_EQ(Added.Header.size(), kHeaderBytes);
  EXPECT_EQ(Added.Extent.size(), kExtentAlign) << "no more than they need";
  const auto All = readBytes(with(Bytes, Added));
  ASSERT_TRUE(All);
  ASSERT_EQ(All->size(), 1u);
  const Trace &T = (*All)[0];
  EXPECT_TRUE(T.verified());
  EXPECT_TRUE(T.Diagnostics.empty());
  const auto &First = T.address(1).Source;
  ASSERT_EQ(First.size(), 2u);
  EXPECT_EQ(First[0].Function, "inner");
  EXPECT_EQ(First[0].File, "a.cpp");
  EXPECT_EQ(First[0].Line, 3u);
  EXPECT_EQ(First[0].Column, 4u);
  EXPECT_EQ(First[1].Function, "outer");
  EXPECT_EQ(First[1].File, "");
  EXPECT_EQ(First[1].Line, 70u);
  ASSERT_EQ(T.address(2).Source.size(), 1u);
  EXPECT_EQ(T.address(2).Source[0].File, "main.cpp");
  EXPECT_EQ(T.address(3).Source.size(), 2u) << "as it was";
  EXPECT_NE(dump(T).find("\n    frame function=\"inner\" file=\"a.cpp\" line=3 "
                         "column=4\n"),
            std::string::npos)
      << dump(T);
}

TEST(Symbols, AddedLaterReplaceWhatWasThere) {
  auto Bytes = assembled(kEverything);
  for (const char *Name : {"first", "second"})
    Bytes = with(Bytes, addSymbols((*readBytes(Bytes))[0],
                                   {{3, {{Name, "b.cpp", 1, 0}}}}));
  const Trace T = (*readBytes(Bytes))[0];
  EXPECT_TRUE(T.verified());
  ASSERT_EQ(T.address(3).Source.size(), 1u);
  EXPECT_EQ(T.address(3).Source[0].Function, "second");
}

TEST(Symbols, ATraceWithoutChecksumsGetsNone) {
  const auto Bytes = assembled("header state=running\nextent meta\n"
                               " module id=1\n address id=1 module=1\n");
  const Trace T =
      (*readBytes(with(Bytes, addSymbols((*readBytes(Bytes))[0],
                                         {{1, {{"f", "f.cpp", 1, 1}}}}))))[0];
  EXPECT_FALSE(T.Sealed);
  EXPECT_TRUE(T.Diagnostics.empty());
  EXPECT_EQ(T.address(1).Source.size(), 1u);
}

} // namespace
