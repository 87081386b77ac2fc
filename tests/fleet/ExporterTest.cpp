//===- ExporterTest.cpp - Traces to Parquet, and what kills leave ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/FleetFixture.h"
#include "fleet/folder/SqlViews.h"
#include "fleet/upkeep/Upkeep.h"

#include <gmock/gmock.h>

namespace inmem::fleet {

using testing::HasSubstr;
using testing::SizeIs;

class ExporterTest : public FleetTest {
protected:
  trace::Status exportAll(const std::vector<std::string> &Files,
                          ExportOptions Options = {},
                          ExportCounts *Counts = nullptr) const {
    auto To = Exporter::open(store(), std::move(Options));
    if (!To)
      return To.status();
    for (const std::string &File : Files)
      if (trace::Status Done = To->add(File); !Done.ok())
        return Done;
    trace::Status Done = To->finish();
    if (Counts)
      *Counts = To->counts();
    return Done;
  }
  /// The first column of the first row of a question about a table.
  std::string query(const std::string &Select, const std::string &Table) const {
    auto Engine = openFleet(store(), {.Threads = 1});
    if (!Engine)
      return Engine.status().str();
    const auto Out = Engine->query(Select + " FROM " + Table);
    return Out ? Out->Rows.at(0).at(0).value_or("null") : Out.status().str();
  }
  /// Each file that has its final name is whole, and all that the manifest
  /// names are there.
  void expectNoHalfFile() const {
    namespace fs = std::filesystem;
    if (!fs::exists(store()))
      return;
    for (const auto &File : fs::recursive_directory_iterator(store())) {
      if (File.path().extension() != ".parquet")
        continue;
      const auto Bytes = readAll(File.path());
      ASSERT_TRUE(Bytes);
      EXPECT_TRUE(Bytes->starts_with("PAR1") && Bytes->ends_with("PAR1"))
          << File.path();
    }
    const auto M = FleetFolder(store()).newest();
    ASSERT_TRUE(M) << M.status().str();
    for (const FileEntry &F : M->Files)
      EXPECT_TRUE(fs::exists(fs::path(store()) / F.Path)) << F.Path;
  }
};

TEST_F(ExporterTest, FiguresAreThoseOfTheTraces) {
  INMEM_NEED_DUCKDB();
  std::vector<std::string> Files;
  for (unsigned Pid = 1; Pid <= 5; ++Pid)
    Files.push_back(writeTrace("t" + std::to_string(Pid) + ".inmem",
                               traceText(Pid, "build=1", 10 * Pid)));
  ExportCounts Counts;
  const trace::Status Done = exportAll(Files, {.BatchTraces = 2}, &Counts);
  ASSERT_TRUE(Done.ok()) << Done.str();
  EXPECT_EQ(Counts.Files, 3 * 8 + 1u); // three batches, and the buckets
  EXPECT_EQ(query("SELECT count(*)", "processes"), "5");
  EXPECT_EQ(query("SELECT sum(allocated_bytes)", "types"), "3600");
  EXPECT_EQ(query("SELECT sum(n)", "lifetimes"), "75");
  EXPECT_EQ(query("SELECT sum(n)", "lifetimes_daily"), "75");
  EXPECT_EQ(query("SELECT min(type)", "type_names"), "Foo");
  EXPECT_EQ(query("SELECT count(*)", "buckets"), "488");
  EXPECT_EQ(query("SELECT min(value)", "labels"), "1");
  // Other engines read signed integers as they are.
  EXPECT_EQ(query("SELECT typeof(allocated_bytes)", "types"), "BIGINT");
}

TEST_F(ExporterTest, WhatOtherColumnsGiveIsLeftOut) {
  INMEM_NEED_DUCKDB();
  // One block in two was freed; the second trace has blocks of other sizes.
  std::string Odd = traceText(2, "build=1", 10);
  Odd.replace(Odd.find("bytes=240"), 9, "bytes=250");
  ASSERT_TRUE(exportAll({writeTrace("a.inmem", traceText(1, "build=1", 10)),
                         writeTrace("b.inmem", Odd)})
                  .ok());
  auto Engine = openFleet(store(), {.Threads = 1});
  ASSERT_TRUE(Engine) << Engine.status().str();
  const std::string Seen =
      "SELECT concat_ws(' ', allocations, allocated_bytes, frees, freed_bytes, "
      "live_allocations, live_bytes, elements, timed) FROM ";
  const auto Rows = Engine->query(Seen + "types ORDER BY allocated_bytes");
  ASSERT_TRUE(Rows) << Rows.status().str();
  ASSERT_THAT(Rows->Rows, SizeIs(2));
  EXPECT_EQ(*Rows->Rows[0][0], "10 240 5 120 5 120 10 5");
  EXPECT_EQ(*Rows->Rows[1][0], "10 250 5 120 5 130 10 5");
  // In the file: only what does not follow.
  const auto M = FleetFolder(store()).newest();
  ASSERT_TRUE(M);
  const auto File = std::ranges::find(M->Files, "types", &FileEntry::Table);
  const auto Raw = Engine->query(Seen + "read_parquet(" +
                                 sqlText(store() + '/' + File->Path) +
                                 ") ORDER BY live_bytes");
  ASSERT_TRUE(Raw) << Raw.status().str();
  ASSERT_THAT(Raw->Rows, SizeIs(2));
  EXPECT_EQ(*Raw->Rows[0][0], "10 240 5 120");
  EXPECT_EQ(*Raw->Rows[1][0], "10 250 5 130");
  const auto How = Engine->query("SELECT DISTINCT compression FROM "
                                 "parquet_metadata(" +
                                 sqlText(store() + '/' + File->Path) + ")");
  ASSERT_TRUE(How) << How.status().str();
  EXPECT_EQ(How->Rows, (decltype(How->Rows){{"ZSTD"}}));
}

TEST_F(ExporterTest, ATraceIsAddedOnce) {
  INMEM_NEED_DUCKDB();
  const std::string A = writeTrace("a.inmem", traceText(1, "", 10));
  const std::string B = writeTrace("b.inmem", traceText(2, "", 10));
  ExportCounts Counts;
  ASSERT_TRUE(exportAll({A, A}, {}, &Counts).ok());
  EXPECT_EQ(Counts.Traces, 1u);
  EXPECT_EQ(Counts.Known, 1u);
  ASSERT_TRUE(exportAll({A, B}, {}, &Counts).ok());
  EXPECT_EQ(Counts.Traces, 1u);
  EXPECT_EQ(query("SELECT count(*)", "processes"), "2");
}

TEST_F(ExporterTest, MemoryBoundWritesEarly) {
  INMEM_NEED_DUCKDB();
  std::vector<std::string> Files;
  for (unsigned Pid = 1; Pid <= 4; ++Pid)
    Files.push_back(writeTrace("t" + std::to_string(Pid) + ".inmem",
                               traceText(Pid, "", 10)));
  ExportCounts Counts;
  ASSERT_TRUE(exportAll(Files, {.BatchBytes = 1}, &Counts).ok());
  EXPECT_EQ(query("SELECT count(*)", "processes"), "4");
  EXPECT_GT(Counts.Files, 24u); // each trace has files of its own
}

TEST_F(ExporterTest, WhatWasDeletedMeanwhileIsNotNamed) {
  INMEM_NEED_DUCKDB();
  auto To = Exporter::open(store(), {.BatchTraces = 1});
  ASSERT_TRUE(To);
  ASSERT_TRUE(To->add(writeTrace("a.inmem", traceText(1, "", 10))).ok());
  std::filesystem::remove_all(std::filesystem::path(store()) / "types");
  const trace::Status Done = To->finish();
  EXPECT_THAT(Done.str(), HasSubstr("export the traces again"));
  EXPECT_EQ(FleetFolder(store()).newest()->Generation, 0u);
}

TEST_F(ExporterTest, WhatIsSweptBeforeItIsNamedIsKept) {
  INMEM_NEED_DUCKDB();
  const std::string A = writeTrace("a.inmem", traceText(1, "", 10));
  const std::string B = writeTrace("b.inmem", traceText(2, "", 10));
  ASSERT_TRUE(exportAll({B}).ok());
  const FleetFolder Fleet(store());
  auto To = Exporter::open(store(), {.BatchTraces = 1});
  ASSERT_TRUE(To);
  ASSERT_TRUE(To->add(A).ok());
  // To a sweep a day later, a killed export left the files.
  const int64_t Day = 24 * 60 * 60;
  RetentionOptions Later{.Upkeep = {.Now = time(nullptr) + Day},
                         .Keep = 10000 * Day};
  const auto Swept = expire(Fleet, Later);
  ASSERT_TRUE(Swept) << Swept.status().str();
  EXPECT_GT(Swept->Upkeep.Swept, 0u);
  const trace::Status Done = To->finish();
  ASSERT_TRUE(Done.ok()) << Done.str();
  EXPECT_EQ(query("SELECT sum(allocated_bytes)", "types"), "480");
  EXPECT_TRUE(Fleet.newest()->Tombstones.empty());
  Later.Upkeep.Now += Day;
  ASSERT_TRUE(expire(Fleet, Later));
  expectNoHalfFile();
}

TEST_F(ExporterTest, NothingNamesAFileThatIsBeingDeleted) {
  INMEM_NEED_DUCKDB();
  const std::string A = writeTrace("a.inmem", traceText(1, "", 10));
  ASSERT_TRUE(exportAll({A}).ok());
  const RetentionOptions Options{
      .Upkeep = {.Now = time(nullptr) + 2000000000, .DeleteAfter = 0}};
  // Killed after some of the files have gone.
  const FleetFolder Fleet(store());
  int Removed = 0;
  const pid_t Child = fork();
  if (Child == 0) {
    StepHook = [&](const char *Step) {
      if (std::string_view(Step) == "remove" && Removed++ == 3)
        kill(getpid(), SIGKILL);
    };
    _exit(expire(Fleet, Options) ? 0 : 1);
  }
  int How = 0;
  ASSERT_EQ(waitpid(Child, &How, 0), Child);
  ASSERT_TRUE(WIFSIGNALED(How));
  const trace::Status Done = exportAll({A});
  EXPECT_THAT(Done.str(), HasSubstr("is being deleted"));
  expectNoHalfFile();
  ASSERT_TRUE(expire(Fleet, Options));
  ASSERT_TRUE(exportAll({A}).ok());
  EXPECT_EQ(query("SELECT sum(allocated_bytes)", "types"), "240");
}

TEST_F(ExporterTest, KilledAtAnyStep) {
  INMEM_NEED_DUCKDB();
  const std::vector<std::string> Files = {
      writeTrace("a.inmem", traceText(1, "build=1", 10)),
      writeTrace("b.inmem", traceText(2, "build=1", 20))};
  int Steps = 0;
  for (bool Ended = false; !Ended; ++Steps) {
    ASSERT_LT(Steps, 200);
    std::filesystem::remove_all(store());
    Ended = endsBefore(Steps, [&] { return exportAll(Files).ok(); });
    expectNoHalfFile();
    // Run again, it has all rows once; every third time, to save time.
    if (Steps % 3 == 0) {
      ASSERT_TRUE(exportAll(Files).ok());
      EXPECT_EQ(query("SELECT sum(allocated_bytes)", "types"), "720");
      EXPECT_EQ(query("SELECT sum(n)", "lifetimes_daily"), "15");
      expectNoHalfFile();
    }
  }
  EXPECT_GT(Steps, 20);
}

} // namespace inmem::fleet
