//===- BatchTest.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/FleetFixture.h"
#include "trace/Reader.h"

#include <gmock/gmock.h>

namespace inmem::fleet {

using testing::ElementsAre;
using testing::SizeIs;

class BatchTest : public FleetTest {
protected:
  trace::Trace read(const std::string &Text) {
    auto All = trace::readTraces(writeTrace("t.inmem", Text));
    EXPECT_TRUE(All) << All.status().str();
    return All->front();
  }
};

TEST_F(BatchTest, LabelsSayUnderWhatATraceIsFiled) {
  const TraceKey Key =
      keyOf(read(traceText(7, "service=web/api,build=13,team=core", 10)));
  EXPECT_EQ(Key.Date, "2026-11-24");
  EXPECT_EQ(Key.Service, "web_api");
  EXPECT_EQ(Key.Build, "13");
  EXPECT_THAT(Key.Labels, SizeIs(3));
  const TraceKey Plain = keyOf(read(traceText(7, "", 10)));
  EXPECT_EQ(Plain.Service, "app");
  EXPECT_EQ(Plain.Build, "unknown");
  EXPECT_EQ(Plain.TraceId, Key.TraceId); // the same process
  EXPECT_NE(keyOf(read(traceText(8, "", 10))).TraceId, Key.TraceId);
}

TEST_F(BatchTest, DefaultLabelsGiveWay) {
  const DefaultLabels Defaults = {{"build", "99"}, {"team", "core"}};
  const TraceKey Key = keyOf(read(traceText(7, "build=13", 10)), Defaults);
  EXPECT_EQ(Key.Build, "13");
  EXPECT_THAT(Key.Labels, ElementsAre(testing::Pair("build", "13"),
                                      testing::Pair("team", "core")));
}

TEST_F(BatchTest, LabelsAreCapped) {
  std::string Labels = "long=" + std::string(1000, 'x');
  for (int I = 0; I < 100; ++I)
    Labels += ",k" + std::to_string(I) + "=v";
  const TraceKey Key = keyOf(read(traceText(7, Labels, 10)));
  EXPECT_THAT(Key.Labels, SizeIs(kMostLabels));
  EXPECT_THAT(Key.Labels.front().second, SizeIs(kLongestLabel));
}

TEST_F(BatchTest, RowsAddUpToTheProfile) {
  Batch B("2026-11-24", "app");
  for (unsigned Pid = 1; Pid <= 3; ++Pid) {
    const trace::Trace T = read(traceText(Pid, "build=1", 10 * Pid));
    B.add(T, *report::buildProfile({&T, 1}), keyOf(T));
  }
  B.finish();
  const Rows &Types = B.rows(TableId::Types);
  ASSERT_EQ(Types.size(), 3u);
  int64_t Bytes = 0;
  for (size_t I = 0; I < Types.size(); ++I)
    Bytes += Types.at(I, 6);
  EXPECT_EQ(Bytes, 60 * 24);
  // Each name once, and one row a bucket for all traces of the day.
  EXPECT_EQ(B.rows(TableId::TypeNames).size(), 1u);
  const Rows &Daily = B.rows(TableId::LifetimesDaily);
  int64_t Frees = 0;
  for (size_t I = 0; I < Daily.size(); ++I) {
    Frees += Daily.at(I, 4);
    EXPECT_EQ(Daily.at(I, 6), 3);
  }
  EXPECT_EQ(Frees, 30);
}

TEST(Rows, NameIsThatOfTheRows) {
  const auto NameOf =
      [](const std::vector<std::pair<int64_t, const char *>> &Names,
         const char *Before) {
        TextPool Pool;
        Pool.add(Before); // has no part in it
        Rows R(table(TableId::TypeNames), Pool);
        for (const auto &[Id, Name] : Names)
          R.add({Id, Pool.add(Name), kNull});
        return R.nameFor(R.sorted());
      };
  const std::string Name = NameOf({{1, "a"}, {2, "b"}}, "x");
  EXPECT_THAT(Name, SizeIs(32));
  EXPECT_EQ(NameOf({{2, "b"}, {1, "a"}}, "b"), Name);
  EXPECT_NE(NameOf({{1, "a"}, {2, "c"}}, "x"), Name);
  EXPECT_NE(NameOf({{1, "b"}, {2, "a"}}, "x"), Name);
}

TEST(Rows, TextsAreUtf8) {
  TextPool Pool;
  const auto Kept = [&](std::string_view Text) { return Pool[Pool.add(Text)]; };
  EXPECT_EQ(Kept("größe €😀"), "größe €😀");
  EXPECT_EQ(Kept("a\xff"
                 "b\xc3"),
            "a?b?");
  EXPECT_EQ(Kept(std::string_view("a\0b", 3)), "a?b");
  EXPECT_EQ(Kept("\xed\xa0\x80"), "???"); // half of a surrogate pair
}

TEST(Rows, CountsSaturate) {
  EXPECT_EQ(cell(UINT64_MAX), INT64_MAX);
  EXPECT_EQ(cell(std::optional<uint64_t>()), kNull);
}

} // namespace inmem::fleet
