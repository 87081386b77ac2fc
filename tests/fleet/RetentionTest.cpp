//===- RetentionTest.cpp - Expired days, also when killed at any step -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/upkeep/Upkeep.h"

#include "fleet/FleetFixture.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>

namespace inmem::fleet {

using testing::HasSubstr;

/// 2026-11-25 00:00:00 UTC: the first day is long over, the second just.
constexpr int64_t kMidnight = 1795564800;
constexpr int64_t kDay = 24 * 60 * 60;
constexpr char kOld[] = "types/date=2026-11-01/service=a/x.parquet";
constexpr char kNew[] = "types/date=2026-11-24/service=a/y.parquet";
constexpr char kGrid[] = "buckets/z.parquet";

class RetentionTest : public FleetTest {
protected:
  void SetUp() override {
    FleetTest::SetUp();
    makeStore();
  }
  void makeStore() const {
    std::filesystem::remove_all(store());
    const auto Done = fleet().update([&](Manifest &M) -> trace::Result<bool> {
      M.Files = {entry(kOld, "2026-11-01"), entry(kNew, "2026-11-24"),
                 entry(kGrid, "")};
      return true;
    });
    ASSERT_TRUE(Done.ok()) << Done.str();
  }
  FileEntry entry(const char *Path, const char *Date) const {
    const auto File = fleet() / Path;
    EXPECT_TRUE(makeFolder(File.parent_path()).ok());
    EXPECT_TRUE(writeDurably(File, "rows").ok());
    FileEntry F;
    F.Table = "types";
    F.Path = Path;
    F.Schema = kSchema;
    F.Date = Date;
    F.Service = "a";
    F.Traces = 1;
    return F;
  }
  FleetFolder fleet() const { return FleetFolder(store()); }
  bool named(const char *Path) const {
    return ManifestIndex(*fleet().newest()).has(Path);
  }
  bool exists(const char *Path) const {
    return std::filesystem::exists(fleet() / Path);
  }
};

TEST_F(RetentionTest, DeletesAfterTheDelayOnly) {
  RetentionOptions Options{.Upkeep = {.Now = kMidnight}, .Keep = 2 * kDay};
  auto Done = expire(fleet(), Options);
  ASSERT_TRUE(Done) << Done.status().str();
  EXPECT_EQ(Done->Expired, 1u);
  EXPECT_EQ(Done->Traces, 1u);
  EXPECT_EQ(Done->Upkeep.Deleted, 0u);
  EXPECT_EQ(Done->Upkeep.Waiting, 1u);
  EXPECT_TRUE(exists(kOld));
  EXPECT_FALSE(named(kOld));
  EXPECT_TRUE(named(kNew));
  EXPECT_TRUE(named(kGrid));
  Options.Upkeep.Now += Options.Upkeep.DeleteAfter - 1;
  ASSERT_TRUE(expire(fleet(), Options));
  EXPECT_TRUE(exists(kOld));
  Options.Upkeep.Now += 1;
  Done = expire(fleet(), Options);
  ASSERT_TRUE(Done);
  EXPECT_EQ(Done->Upkeep.Deleted, 1u);
  EXPECT_FALSE(exists(kOld));
  EXPECT_TRUE(exists(kNew));
  EXPECT_TRUE(exists(kGrid));
  EXPECT_TRUE(fleet().newest()->Tombstones.empty());
}

TEST_F(RetentionTest, ADayExpiresByItsEnd) {
  // The 24th ended at midnight.
  ASSERT_TRUE(expire(fleet(), {.Upkeep = {.Now = kMidnight - 1}, .Keep = 0}));
  EXPECT_TRUE(named(kNew));
  ASSERT_TRUE(expire(fleet(), {.Upkeep = {.Now = kMidnight}, .Keep = 0}));
  EXPECT_FALSE(named(kNew));
}

TEST_F(RetentionTest, ANamedFileStaysThoughItHasATombstone) {
  ASSERT_TRUE(fleet()
                  .update([](Manifest &M) -> trace::Result<bool> {
                    M.Tombstones.push_back({kNew, 0, {}});
                    return true;
                  })
                  .ok());
  ASSERT_TRUE(
      expire(fleet(), {.Upkeep = {.Now = kMidnight}, .Keep = 2 * kDay}));
  EXPECT_TRUE(exists(kNew));
}

TEST_F(RetentionTest, OneProcessAtATime) {
  const std::string Lock = (fleet() / "_manifest/_lock").string();
  const int File = open(Lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  ASSERT_GE(File, 0);
  ASSERT_EQ(flock(File, LOCK_EX), 0);
  const auto Done = expire(fleet(), {.Upkeep = {.Now = kMidnight}});
  close(File);
  ASSERT_FALSE(Done);
  EXPECT_THAT(Done.status().str(), HasSubstr("another process"));
  EXPECT_EQ(fleet().newest()->Generation, 1u);
}

TEST_F(RetentionTest, SweepsWhatKillsLeft) {
  constexpr char kPart[] = "types/date=2026-11-24/service=a/_q.h.1.2.part";
  constexpr char kWhole[] = "types/date=2026-11-24/service=a/q.parquet";
  constexpr char kForeign[] = "types/date=2026-11-24/service=a/notes.txt";
  constexpr char kManifestPart[] = "_manifest/_000000000009.json.h.1.2.part";
  const auto Seconds = [] {
    return std::chrono::duration_cast<std::chrono::seconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  };
  for (const char *Path : {kPart, kWhole, kForeign, kManifestPart})
    std::ofstream(fleet() / Path) << "x";
  RetentionOptions Options{.Upkeep = {.Now = Seconds() + kDay - 60},
                           .Keep = 100000 * kDay};
  auto Done = expire(fleet(), Options);
  ASSERT_TRUE(Done) << Done.status().str();
  EXPECT_EQ(Done->Upkeep.Swept, 0u);
  Options.Upkeep.Now += 120;
  Done = expire(fleet(), Options);
  ASSERT_TRUE(Done) << Done.status().str();
  EXPECT_EQ(Done->Upkeep.Swept, 3u);
  EXPECT_FALSE(exists(kPart));
  EXPECT_FALSE(exists(kManifestPart));
  // A process might name it at this moment: first a tombstone.
  EXPECT_TRUE(exists(kWhole));
  EXPECT_TRUE(ManifestIndex(*fleet().newest()).tombstoneOf(kWhole));
  Options.Upkeep.Now += Options.Upkeep.DeleteAfter;
  ASSERT_TRUE(expire(fleet(), Options));
  EXPECT_FALSE(exists(kWhole));
  for (const char *Path : {kOld, kNew, kGrid, kForeign})
    EXPECT_TRUE(exists(Path)) << Path;
  EXPECT_EQ(fleet().newest()->Files.size(), 3u);
}

TEST_F(RetentionTest, AMarkIsKeptAndWaitsForNothing) {
  // A process that deletes was killed after it had marked a file.
  ASSERT_TRUE(fleet()
                  .update([](Manifest &M) -> trace::Result<bool> {
                    M.Files.erase(M.Files.begin());
                    M.Tombstones.push_back({kOld, kMidnight, {}, true});
                    return true;
                  })
                  .ok());
  const auto Done =
      expire(fleet(), {.Upkeep = {.Now = kMidnight}, .Keep = 2 * kDay});
  ASSERT_TRUE(Done) << Done.status().str();
  EXPECT_EQ(Done->Upkeep.Deleted, 1u);
  EXPECT_FALSE(exists(kOld));
  EXPECT_TRUE(fleet().newest()->Tombstones.empty());
}

TEST_F(RetentionTest, KilledAtAnyStep) {
  const RetentionOptions Options{.Upkeep = {.Now = kMidnight, .DeleteAfter = 0},
                                 .Keep = 2 * kDay};
  int Steps = 0;
  for (bool Ended = false; !Ended; ++Steps) {
    ASSERT_LT(Steps, 100);
    makeStore();
    Ended = endsBefore(Steps, [&] { return bool(expire(fleet(), Options)); });
    const auto M = fleet().newest();
    ASSERT_TRUE(M) << M.status().str();
    for (const FileEntry &F : M->Files)
      EXPECT_TRUE(exists(F.Path.c_str())) << F.Path << " at step " << Steps;
    const auto Again = expire(fleet(), Options);
    ASSERT_TRUE(Again) << Again.status().str();
    EXPECT_FALSE(exists(kOld)) << "at step " << Steps;
    EXPECT_TRUE(exists(kNew));
    EXPECT_TRUE(fleet().newest()->Tombstones.empty());
    EXPECT_EQ(fleet().newest()->Files.size(), 2u);
  }
  EXPECT_GE(Steps, 7);
}

} // namespace inmem::fleet
