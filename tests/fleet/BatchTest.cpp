//===- BatchTest.cpp - Traces to rows of tables ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/FleetFixture.h"
#include "trace/read/Reader.h"

#include <gmock/gmock.h>
#include <numeric>
#include <random>

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
  int64_t Blocks = 0;
  for (size_t I = 0; I < Types.size(); ++I)
    Blocks += Types.at(I, 5);
  EXPECT_EQ(Blocks, 60);
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

TEST_F(BatchTest, SumsOfADayAreByBuildAndUnit) {
  Batch B("2026-11-24", "app");
  const auto Add = [&](unsigned Pid, const char *Build, bool InBytes) {
    std::string Text = traceText(Pid, Build, 10);
    if (InBytes)
      Text.replace(Text.find("clock=exact"), 11, "clock=events");
    const trace::Trace T = read(Text);
    B.add(T, *report::buildProfile({&T, 1}), keyOf(T));
  };
  Add(1, "build=1", false);
  Add(2, "build=2", false);
  Add(3, "build=1", true); // in the same bucket
  Add(4, "build=1", false);
  B.finish();
  const Rows &Daily = B.rows(TableId::LifetimesDaily);
  std::map<std::string, int64_t> Traces;
  for (size_t I = 0; I < Daily.size(); ++I)
    Traces[std::string(Daily.text(I, 0)) + ' ' + std::string(Daily.text(I, 2)) +
           ' ' + std::to_string(Daily.at(I, 3))] = Daily.at(I, 6);
  using testing::Pair;
  EXPECT_THAT(Traces, ElementsAre(Pair("1 bytes 10", 1), Pair("1 ns 10", 2),
                                  Pair("2 ns 10", 1)));
}

TEST_F(BatchTest, ResidentSizesAreThoseOfTheProcess) {
  Batch B("2026-11-24", "app");
  const auto Add = [&](unsigned Pid, const char *Sizes) {
    std::string Text = traceText(Pid, "build=1", 10);
    Text.replace(Text.find("peak-live-bytes"), 0, Sizes);
    const trace::Trace T = read(Text);
    B.add(T, *report::buildProfile({&T, 1}), keyOf(T));
  };
  Add(1, "resident-bytes=8192 peak-resident-bytes=12288 ");
  Add(2, ""); // of an older runtime
  B.finish();
  const Rows &Sizes = B.rows(TableId::Resident);
  std::map<std::string, int64_t> Found;
  for (size_t I = 0; I < Sizes.size(); ++I)
    Found[std::string(Sizes.text(I, 3))] = Sizes.at(I, 6);
  using testing::Pair;
  EXPECT_EQ(Sizes.size(), 2u);
  EXPECT_THAT(Found, ElementsAre(Pair("end", 8192), Pair("peak", 12288)));
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

TEST(Rows, TablesWithEqualCellsHaveDifferentNames) {
  const TextPool None;
  std::set<std::string> Names;
  for (const TableId Id : {TableId::Lifetimes, TableId::LifetimesDaily}) {
    Rows R(table(Id), None);
    R.add({kNull, kNull, kNull, kNull, kNull, kNull, kNull});
    Names.insert(R.nameFor(R.sorted()));
  }
  EXPECT_THAT(Names, SizeIs(2));
}

TEST(Rows, OrderIsThatOfTheCells) {
  std::mt19937 Random(5);
  TextPool Pool;
  for (const char *Text : {"010", "9", "b", "a", ""})
    Pool.add(Text);
  // Values close together, values far apart, and unknown ones.
  const auto Number = [&](unsigned Most) {
    const unsigned Drawn = Random() % Most;
    return Drawn == 0 ? kNull : int64_t{Drawn};
  };
  const auto Text = [&] {
    const unsigned Drawn = Random() % 6;
    return Drawn == 5 ? kNull : int64_t{Drawn};
  };
  for (const unsigned Size : {1u, 2u, 50u, 3000u}) {
    Rows R(table(TableId::Frees), Pool);
    for (unsigned I = 0; I < Size; ++I)
      R.add({static_cast<int64_t>(Random() % 4) << 60, Text(),
             3 + static_cast<int64_t>(Random() % 7), Number(1000), Number(5),
             Text(), Text(), 1, 1});
    std::vector<uint32_t> Wanted(Size);
    std::iota(Wanted.begin(), Wanted.end(), 0u);
    const auto Before = [&](uint32_t A, uint32_t B) {
      for (const size_t Column : R.spec().Order) {
        const int64_t Left = R.at(A, Column), Right = R.at(B, Column);
        if (Left == Right)
          continue;
        if (R.spec().Columns[Column].Kind != ColumnKind::Text)
          return Left < Right;
        return Left != kNull && (Right == kNull || Pool[Left] < Pool[Right]);
      }
      return false;
    };
    std::ranges::sort(Wanted, [&](uint32_t A, uint32_t B) {
      return Before(A, B) || (!Before(B, A) && A < B);
    });
    EXPECT_EQ(R.sorted(), Wanted);
  }
}

TEST_F(BatchTest, TextsComeBackFromParquet) {
  INMEM_NEED_DUCKDB();
  TextPool Pool;
  Rows R(table(TableId::Labels), Pool);
  // Few labels, 600 values; every third value is unknown.
  for (int64_t I = 0; I < 900; ++I)
    R.add({I, I % 2 == 0 ? kNull : Pool.add("b"),
           Pool.add(I % 2 == 0 ? "even" : "o'dd"),
           I % 3 == 0 ? kNull : Pool.add("v" + std::to_string(I))});
  auto Engine = duck();
  const std::string File = (Folder / "labels.parquet").string();
  const trace::Status Done = Engine->writeParquet(R, R.sorted(), File);
  ASSERT_TRUE(Done.ok()) << Done.str();
  const auto Back = Engine->query(
      "SELECT count(*), count(build), count(value), count(DISTINCT value), "
      "count(*) FILTER (label = 'even' AND trace_id % 2 = 0), "
      "count(*) FILTER (label = 'o''dd' AND build = 'b'), "
      "count(*) FILTER (value = 'v' || trace_id), min(typeof(label)) "
      "FROM read_parquet(" +
      sqlText(File) + ")");
  ASSERT_TRUE(Back) << Back.status().str();
  EXPECT_THAT(Back->Rows.at(0), ElementsAre("900", "450", "600", "600", "450",
                                            "450", "600", "VARCHAR"));
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

TEST(Rows, WhatFollowsIsLeftOut) {
  TextPool Pool;
  Rows R(table(TableId::Types), Pool);
  constexpr int64_t kMost = INT64_MAX;
  const auto Stored = [&](std::array<int64_t, 9> Cells) {
    // size; allocations, bytes; frees, bytes; alive, bytes; elements; timed
    R.add({1, 0, 7, Cells[0], 8, Cells[1], Cells[2], Cells[3], Cells[4],
           Cells[5], Cells[6], 0, 0, Cells[7], Cells[8], 0});
    const size_t Row = R.size() - 1;
    std::vector<int64_t> Out;
    for (const size_t Column : {13, 6, 7, 8, 14})
      Out.push_back(R.at(Row, Column));
    return Out;
  };
  using Cells = std::vector<int64_t>;
  EXPECT_EQ(Stored({24, 10, 240, 5, 120, 5, 120, 10, 5}),
            (Cells{kNull, 240, kNull, kNull, kNull}));
  // An array; what the runtime freed at its end.
  EXPECT_EQ(Stored({24, 10, 480, 9, 120, 5, 120, 20, 3}),
            (Cells{20, 480, 9, 120, 3}));
  // Not known, though allocations are.
  EXPECT_EQ(Stored({24, 10, 240, 10, 240, 0, 0, kNull, 10}),
            (Cells{kUnknownCell, 240, kNull, kNull, kNull}));
  // A difference that no column holds.
  EXPECT_EQ(Stored({24, kMost, kMost, kMost, kMost, -2, 0, kMost, kMost}),
            (Cells{kNull, kMost, kMost, kNull, kNull}));
}

TEST(Rows, CountsSaturate) {
  EXPECT_EQ(cell(UINT64_MAX), INT64_MAX);
  EXPECT_EQ(cell(std::optional<uint64_t>()), kNull);
}

} // namespace inmem::fleet
