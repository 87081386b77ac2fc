//===- RetentionTest.cpp - Expired days, also when killed at any step -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/Retention.h"

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
  bool exists(const char *Path) const {
    return std::filesystem::exists(fleet() / Path);
  }
};

TEST_F(RetentionTest, DeletesAfterTheDelayOnly) {
  RetentionOptions Options{.Now = kMidnight, .Keep = 2 * kDay};
  auto Done = expire(fleet(), Options);
  ASSERT_TRUE(Done) << Done.status().str();
  EXPECT_EQ(Done->Expired, 1u);
  EXPECT_EQ(Done->Traces, 1u);
  EXPECT_EQ(Done->Deleted, 0u);
  EXPECT_EQ(Done->Waiting, 1u);
  EXPECT_TRUE(exists(kOld));
  EXPECT_FALSE(fleet().newest()->has(kOld));
  EXPECT_TRUE(fleet().newest()->has(kNew));
  EXPECT_TRUE(fleet().newest()->has(kGrid));
  Options.Now += Options.DeleteAfter - 1;
  ASSERT_TRUE(expire(fleet(), Options));
  EXPECT_TRUE(exists(kOld));
  Options.Now += 1;
  Done = expire(fleet(), Options);
  ASSERT_TRUE(Done);
  EXPECT_EQ(Done->Deleted, 1u);
  EXPECT_FALSE(exists(kOld));
  EXPECT_TRUE(exists(kNew));
  EXPECT_TRUE(exists(kGrid));
  EXPECT_TRUE(fleet().newest()->Tombstones.empty());
}

TEST_F(RetentionTest, ADayExpiresByItsEnd) {
  // The 24th ended at midnight.
  ASSERT_TRUE(expire(fleet(), {.Now = kMidnight - 1, .Keep = 0}));
  EXPECT_TRUE(fleet().newest()->has(kNew));
  ASSERT_TRUE(expire(fleet(), {.Now = kMidnight, .Keep = 0}));
  EXPECT_FALSE(fleet().newest()->has(kNew));
}

TEST_F(RetentionTest, ANamedFileStaysThoughItHasATombstone) {
  ASSERT_TRUE(fleet()
                  .update([](Manifest &M) -> trace::Result<bool> {
                    M.Tombstones.push_back({kNew, 0});
                    return true;
                  })
                  .ok());
  ASSERT_TRUE(expire(fleet(), {.Now = kMidnight, .Keep = 2 * kDay}));
  EXPECT_TRUE(exists(kNew));
}

TEST_F(RetentionTest, OneProcessAtATime) {
  const std::string Lock = (fleet() / "_manifest/_lock").string();
  const int File = open(Lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  ASSERT_GE(File, 0);
  ASSERT_EQ(flock(File, LOCK_EX), 0);
  const auto Done = expire(fleet(), {.Now = kMidnight});
  close(File);
  ASSERT_FALSE(Done);
  EXPECT_THAT(Done.status().str(), HasSubstr("another process"));
  EXPECT_EQ(fleet().newest()->Generation, 1u);
}

TEST_F(RetentionTest, KilledAtAnyStep) {
  const RetentionOptions Options{
      .Now = kMidnight, .Keep = 2 * kDay, .DeleteAfter = 0};
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

TEST_F(RetentionTest, Durations) {
  EXPECT_EQ(durationOf("0"), 0);
  EXPECT_EQ(durationOf("90s"), 90);
  EXPECT_EQ(durationOf("2h"), 7200);
  EXPECT_EQ(durationOf("90d"), 90 * kDay);
  EXPECT_EQ(durationOf("4w"), 28 * kDay);
  for (const char *Wrong :
       {"", "d", "90", "-1d", "1.5d", "9y", "1dd", "9223372036854775807d"})
    EXPECT_FALSE(durationOf(Wrong)) << Wrong;
}

} // namespace inmem::fleet
