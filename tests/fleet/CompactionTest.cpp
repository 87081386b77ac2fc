//===- CompactionTest.cpp - Many files become few, also when killed -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/upkeep/Upkeep.h"

#include "fleet/FleetFixture.h"
#include "fleet/folder/SqlViews.h"

#include <algorithm>
#include <ctime>
#include <gmock/gmock.h>
#include <map>
#include <utility>

namespace inmem::fleet {

using testing::HasSubstr;

constexpr char kService[] = "service=app,build=";

class CompactionTest : public FleetTest {
protected:
  /// A file of each table for each trace.
  bool addTraces(unsigned From, unsigned To) {
    auto Out = Exporter::open(store(), {.BatchTraces = 1});
    if (!Out)
      return false;
    for (unsigned Pid = From; Pid <= To; ++Pid)
      if (!Out->add(
                  writeTrace("t" + std::to_string(Pid) + ".inmem",
                             traceText(Pid, kService + std::to_string(Pid % 2),
                                       10 * Pid)))
               .ok())
        return false;
    return Out->finish().ok();
  }
  void makeStore() {
    std::filesystem::remove_all(store());
    std::filesystem::copy(Folder / "first", store(),
                          std::filesystem::copy_options::recursive);
  }
  void keepFirst() { std::filesystem::rename(store(), Folder / "first"); }
  FleetFolder fleet() const { return FleetFolder(store()); }
  /// By the clock of the machine, which files have their times from.
  static CompactionOptions options(int64_t DeleteAfter = 3600) {
    return {.Upkeep = {.Now = time(nullptr), .DeleteAfter = DeleteAfter},
            .Database = {.Threads = 1}};
  }
  size_t parts() const {
    size_t Out = 0;
    for (const auto &File :
         std::filesystem::recursive_directory_iterator(store()))
      Out += isPart(File.path().filename().string()) ? 1 : 0;
    return Out;
  }
  /// All rows of all tables, as readers see them.
  std::string rows() const {
    auto Engine = openFleet(store(), {.Threads = 1});
    if (!Engine)
      return Engine.status().str();
    std::string Out;
    for (const TableSpec &Spec : tables()) {
      // Files of one day each have sums; of these only the sum is the same.
      const std::string From =
          Spec.Id == TableId::LifetimesDaily
              ? "(SELECT build, type_id, unit, bucket, CAST(sum(n) AS BIGINT), "
                "CAST(sum(bytes) AS BIGINT), CAST(sum(traces) AS BIGINT), "
                "date, service FROM lifetimes_daily GROUP BY ALL)"
              : std::string(Spec.Name);
      const auto Found =
          Engine->query("SELECT * FROM " + From + " ORDER BY ALL");
      if (!Found)
        return Found.status().str();
      Out += std::string(Spec.Name) + '\n';
      for (const auto &Row : Found->Rows) {
        for (const auto &Cell : Row)
          Out += Cell.value_or("null") + '|';
        Out += '\n';
      }
    }
    return Out;
  }
  static size_t filesOf(const Manifest &M, const std::string &Table) {
    return static_cast<size_t>(
        std::ranges::count(M.Files, Table, &FileEntry::Table));
  }
};

TEST_F(CompactionTest, RowsStayAndFilesAreFew) {
  INMEM_NEED_DUCKDB();
  ASSERT_TRUE(addTraces(1, 5));
  const std::string Before = rows();
  EXPECT_THAT(Before, HasSubstr("Foo"));
  EXPECT_EQ(filesOf(*fleet().newest(), "types"), 5u);
  auto Done = compact(fleet(), options());
  ASSERT_TRUE(Done) << Done.status().str();
  const auto M = fleet().newest();
  ASSERT_TRUE(M);
  for (const TableSpec &Spec : tables())
    EXPECT_LE(filesOf(*M, std::string(Spec.Name)), 1u) << Spec.Name;
  EXPECT_EQ(rows(), Before);
  const auto Types = std::ranges::find(M->Files, "types", &FileEntry::Table);
  EXPECT_EQ(Types->Builds, (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(std::ranges::find(M->Files, "processes", &FileEntry::Table)->Traces,
            5u);
  // Five traces of two builds have five rows a bucket before, two after.
  const auto Daily =
      std::ranges::find(M->Files, "lifetimes_daily", &FileEntry::Table);
  const auto Lifetimes =
      std::ranges::find(M->Files, "lifetimes", &FileEntry::Table);
  EXPECT_EQ(Daily->Rows * 5, Lifetimes->Rows * 2);
  // Sources stay for readers who have begun.
  EXPECT_EQ(Done->Upkeep.Deleted, 0u);
  EXPECT_EQ(Done->Upkeep.Waiting, Done->Sources);
  const ManifestIndex Index(*M);
  for (const Tombstone &T : M->Tombstones) {
    EXPECT_TRUE(std::filesystem::exists(fleet() / T.Path)) << T.Path;
    EXPECT_TRUE(Index.isMerged(T.Path)) << T.Path;
  }
  const uint64_t Sources = Done->Sources;
  auto Later = options();
  Later.Upkeep.Now += 3600;
  Done = compact(fleet(), Later);
  ASSERT_TRUE(Done) << Done.status().str();
  EXPECT_EQ(Done->Files, 0u);
  EXPECT_EQ(Done->Upkeep.Deleted, Sources);
  EXPECT_TRUE(fleet().newest()->Tombstones.empty());
  EXPECT_EQ(rows(), Before);
}

TEST_F(CompactionTest, LargeFilesStay) {
  INMEM_NEED_DUCKDB();
  ASSERT_TRUE(addTraces(1, 3));
  auto Small = options();
  Small.FileBytes = 2;
  const auto Done = compact(fleet(), Small);
  ASSERT_TRUE(Done) << Done.status().str();
  EXPECT_EQ(Done->Files, 0u);
  EXPECT_EQ(filesOf(*fleet().newest(), "types"), 3u);
  // One above half of that is not written again for two small ones.
  const auto Change = [](Manifest &Next) -> trace::Result<bool> {
    uint64_t Bytes = 60;
    for (FileEntry &F : Next.Files)
      if (F.Table == "types")
        F.Bytes = std::exchange(Bytes, 20);
    return true;
  };
  ASSERT_TRUE(fleet().update(Change).ok());
  Small.FileBytes = 100;
  ASSERT_TRUE(compact(fleet(), Small));
  EXPECT_EQ(filesOf(*fleet().newest(), "types"), 2u);
}

TEST_F(CompactionTest, FilesOfABuildStayTogether) {
  INMEM_NEED_DUCKDB();
  ASSERT_TRUE(addTraces(1, 4));
  uint64_t Largest = 0;
  auto M = fleet().newest();
  ASSERT_TRUE(M);
  for (const FileEntry &F : M->Files)
    if (F.Table == "types")
      Largest = std::max(Largest, F.Bytes);
  auto Two = options();
  Two.FileBytes = 2 * Largest;
  ASSERT_TRUE(compact(fleet(), Two));
  std::vector<std::vector<std::string>> Builds;
  M = fleet().newest();
  ASSERT_TRUE(M);
  for (const FileEntry &F : M->Files)
    if (F.Table == "types")
      Builds.push_back(F.Builds);
  EXPECT_THAT(Builds,
              testing::UnorderedElementsAre(std::vector<std::string>{"0"},
                                            std::vector<std::string>{"1"}));
}

TEST_F(CompactionTest, LargeDaysAreSortedByBuild) {
  INMEM_NEED_DUCKDB();
  // Two files, each with all builds: as many rows as a row group has for each.
  ASSERT_TRUE(addTraces(1, 1));
  auto Engine = Duck::open({.Threads = 1});
  ASSERT_TRUE(Engine);
  auto M = fleet().newest();
  ASSERT_TRUE(M);
  const FileEntry First =
      *std::ranges::find(M->Files, "types", &FileEntry::Table);
  std::erase_if(M->Files,
                [&](const FileEntry &F) { return F.Path == First.Path; });
  for (const char *Name : {"a", "b"}) {
    FileEntry F = First;
    F.Path = (std::filesystem::path(First.Path).parent_path() / Name).string() +
             ".parquet";
    F.Builds = {"0", "1"};
    const trace::Status Written = Engine->run(
        "COPY (SELECT t.* REPLACE (range AS trace_id, CAST(range % 2 AS "
        "VARCHAR) AS build, range % 1000 AS type_id) FROM read_parquet(" +
        sqlText((fleet() / First.Path).string()) +
        ") t, range(130000) ORDER BY type_id, build) TO " +
        sqlText((fleet() / F.Path).string()) + " (FORMAT parquet)");
    ASSERT_TRUE(Written.ok()) << Written.str();
    F.Rows = 130000;
    F.Bytes = std::filesystem::file_size(fleet() / F.Path);
    M->Files.push_back(F);
  }
  ASSERT_TRUE(fleet()
                  .update([&](Manifest &Next) -> trace::Result<bool> {
                    Next.Files = M->Files;
                    return true;
                  })
                  .ok());
  const auto Done = compact(fleet(), options());
  ASSERT_TRUE(Done) << Done.status().str();
  M = fleet().newest();
  const auto Whole = std::ranges::find(M->Files, "types", &FileEntry::Table);
  EXPECT_EQ(Whole->Rows, 260000u);
  // A reader of one build passes over a row group at least.
  const auto Groups = Engine->query(
      "SELECT count(*) FILTER (stats_min_value = '0' AND stats_max_value = "
      "'0'), count(*) FROM parquet_metadata(" +
      sqlText((fleet() / Whole->Path).string()) +
      ") WHERE path_in_schema = 'build'");
  ASSERT_TRUE(Groups) << Groups.status().str();
  EXPECT_EQ(*Groups->Rows[0][0], "1");
  EXPECT_EQ(*Groups->Rows[0][1], "3");
}

TEST_F(CompactionTest, FilesOfTwoSchemasStayApart) {
  INMEM_NEED_DUCKDB();
  ASSERT_TRUE(addTraces(1, 2));
  // As the first version wrote them: no cell is left out.
  const std::string Before = rows();
  auto Old = Duck::open({.Threads = 1});
  ASSERT_TRUE(Old);
  auto M = fleet().newest();
  ASSERT_TRUE(M);
  for (FileEntry &F : M->Files) {
    const TableSpec &Spec = *tableNamed(F.Table);
    if (Spec.Derived.empty())
      continue;
    std::string Columns;
    for (size_t I = 0; I < Spec.Columns.size(); ++I)
      Columns += (I == 0 ? "" : ", ") + valueOf(Spec, I, kSchema) + " AS " +
                 std::string(Spec.Columns[I].Name);
    const std::string File = (fleet() / F.Path).string();
    const trace::Status Written =
        Old->run("COPY (SELECT " + Columns + " FROM read_parquet(" +
                 sqlText(File) + ", hive_partitioning = false)) TO " +
                 sqlText(File + ".old") + " (FORMAT parquet)");
    ASSERT_TRUE(Written.ok()) << Written.str();
    std::filesystem::rename(File + ".old", File);
    F.Schema = kWholeSchema;
  }
  ASSERT_TRUE(fleet()
                  .update([&](Manifest &Next) -> trace::Result<bool> {
                    Next.Files = M->Files;
                    return true;
                  })
                  .ok());
  EXPECT_EQ(rows(), Before);
  ASSERT_TRUE(addTraces(3, 4));
  const std::string Both = rows();
  ASSERT_TRUE(compact(fleet(), options()));
  EXPECT_EQ(rows(), Both);
  M = fleet().newest();
  EXPECT_EQ(filesOf(*M, "types"), 2u);
  EXPECT_EQ(filesOf(*M, "sites"), 2u);
  // Files say of themselves what the manifest says of them.
  for (const FileEntry &F : M->Files) {
    const auto Schema =
        Old->query("SELECT decode(value) FROM parquet_kv_metadata(" +
                   sqlText((fleet() / F.Path).string()) +
                   ") WHERE decode(key) = 'inmem_schema'");
    ASSERT_TRUE(Schema) << Schema.status().str();
    EXPECT_EQ(Schema->Rows.at(0).at(0), F.Schema) << F.Path;
  }
}

TEST_F(CompactionTest, WhatIsAddedLaterIsMergedToo) {
  INMEM_NEED_DUCKDB();
  ASSERT_TRUE(addTraces(1, 3));
  ASSERT_TRUE(compact(fleet(), options()));
  // Known traces are not added again, although their files have other names.
  ASSERT_TRUE(addTraces(1, 5));
  EXPECT_EQ(filesOf(*fleet().newest(), "types"), 3u);
  const std::string Before = rows();
  ASSERT_TRUE(compact(fleet(), options()));
  EXPECT_EQ(filesOf(*fleet().newest(), "types"), 1u);
  EXPECT_EQ(rows(), Before);
}

TEST_F(CompactionTest, ALateExportAddsNothingTwice) {
  INMEM_NEED_DUCKDB();
  auto Late = Exporter::open(store(), {.BatchTraces = 1});
  ASSERT_TRUE(Late);
  // It looks before another process adds the trace.
  ASSERT_TRUE(
      Late->add(writeTrace("t1.inmem", traceText(1, "service=app,build=1", 10)))
          .ok());
  ASSERT_TRUE(addTraces(1, 2));
  const std::string Before = rows();
  ASSERT_TRUE(compact(fleet(), options()));
  const trace::Status Done = Late->finish();
  ASSERT_TRUE(Done.ok()) << Done.str();
  EXPECT_EQ(rows(), Before);
}

TEST_F(CompactionTest, ReadersOfBeforeGoOn) {
  INMEM_NEED_DUCKDB();
  ASSERT_TRUE(addTraces(1, 3));
  auto Reader = openFleet(store(), {.Threads = 1});
  ASSERT_TRUE(Reader);
  ASSERT_TRUE(compact(fleet(), options()));
  const auto Found = Reader->query("SELECT sum(allocated_bytes) FROM types");
  ASSERT_TRUE(Found) << Found.status().str();
  EXPECT_EQ(Found->Rows.at(0).at(0), "1440");
}

TEST_F(CompactionTest, ReadersSeeTheSameRowsAtEachStep) {
  INMEM_NEED_DUCKDB();
  ASSERT_TRUE(addTraces(1, 3));
  const std::string Before = rows();
  std::map<std::string, int> Seen;
  StepHook = [&](const char *Step) {
    if (++Seen[Step] <= 3) // to save time
      EXPECT_EQ(rows(), Before) << "before: " << Step;
  };
  const auto Done = compact(fleet(), options(0));
  StepHook = nullptr;
  ASSERT_TRUE(Done) << Done.status().str();
  for (const char *Step : {"write", "rename", "link", "remove"})
    EXPECT_TRUE(Seen.contains(Step)) << Step;
}

TEST_F(CompactionTest, OneProcessAtATime) {
  INMEM_NEED_DUCKDB();
  ASSERT_TRUE(addTraces(1, 3));
  const MaintenanceLock Mine(fleet());
  ASSERT_TRUE(Mine.Failure.ok()) << Mine.Failure.str();
  const uint64_t Generation = fleet().newest()->Generation;
  const auto Done = compact(fleet(), options());
  ASSERT_FALSE(Done);
  EXPECT_THAT(Done.status().str(), HasSubstr("another process"));
  EXPECT_EQ(fleet().newest()->Generation, Generation);
}

TEST_F(CompactionTest, AnotherMaintainerWithoutALock) {
  INMEM_NEED_DUCKDB();
  // A file system without locks: another process is faster, before our commit.
  ASSERT_TRUE(addTraces(1, 3));
  const std::string Before = rows();
  int Go[2];
  ASSERT_EQ(pipe(Go), 0);
  const pid_t Other = fork();
  if (Other == 0) {
    char Byte = 0;
    const bool Told = read(Go[0], &Byte, 1) == 1;
    std::filesystem::remove(fleet() / "_manifest/_lock");
    const auto Done = compact(fleet(), options());
    _exit(Told && Done && Done->Files > 0 ? 0 : 1);
  }
  int OtherEnded = -1;
  StepHook = [&](const char *Step) {
    if (OtherEnded != -1 || std::string_view(Step) != "link")
      return;
    EXPECT_EQ(write(Go[1], "x", 1), 1);
    EXPECT_EQ(waitpid(Other, &OtherEnded, 0), Other);
  };
  const auto Done = compact(fleet(), options());
  StepHook = nullptr;
  close(Go[0]);
  close(Go[1]);
  ASSERT_TRUE(Done) << Done.status().str();
  EXPECT_EQ(OtherEnded, 0);
  EXPECT_EQ(Done->Files, 0u);
  EXPECT_EQ(rows(), Before);
  EXPECT_EQ(filesOf(*fleet().newest(), "types"), 1u);
}

TEST_F(CompactionTest, KilledAtAnyStep) {
  INMEM_NEED_DUCKDB();
  ASSERT_TRUE(addTraces(1, 2));
  const std::string Before = rows();
  keepFirst();
  int Steps = 0;
  for (bool Ended = false; !Ended; ++Steps) {
    ASSERT_LT(Steps, 200);
    makeStore();
    Ended =
        endsBefore(Steps, [&] { return bool(compact(fleet(), options(0))); });
    const auto M = fleet().newest();
    ASSERT_TRUE(M) << M.status().str();
    for (const FileEntry &F : M->Files)
      EXPECT_TRUE(std::filesystem::exists(fleet() / F.Path))
          << F.Path << " at step " << Steps;
    if (Steps % 4 != 0 && !Ended)
      continue; // to save time
    EXPECT_EQ(rows(), Before) << "at step " << Steps;
    auto Options = options(0);
    Options.Upkeep.SweepAfter = 0;
    const auto Again = compact(fleet(), Options);
    ASSERT_TRUE(Again) << Again.status().str();
    EXPECT_EQ(rows(), Before) << "at step " << Steps;
    EXPECT_EQ(filesOf(*fleet().newest(), "types"), 1u);
    EXPECT_TRUE(fleet().newest()->Tombstones.empty());
    EXPECT_EQ(parts(), 0u) << "at step " << Steps;
  }
  EXPECT_GT(Steps, 30);
}

} // namespace inmem::fleet
