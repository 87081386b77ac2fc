//===- ManifestTest.cpp - Generations, and who wins -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/FleetFixture.h"
#include "fleet/tables/Durable.h"

#include <gmock/gmock.h>

namespace inmem::fleet {

using testing::HasSubstr;

class ManifestTest : public FleetTest {};

static FileEntry entry(const std::string &Path) {
  FileEntry F;
  F.Table = "types";
  F.Path = Path;
  F.Schema = kSchema;
  F.Date = "2026-11-24";
  F.Service = "app";
  F.Rows = 3;
  F.Builds = {"13"};
  return F;
}

TEST_F(ManifestTest, ReadsWhatItWrote) {
  Manifest M;
  M.Generation = 5;
  M.Files = {entry("types/a.parquet")};
  M.Tombstones = {{"types/b.parquet", 77}, {"types/c.parquet", 78, "d", true}};
  const auto Again = Manifest::read(M.write(), "m");
  ASSERT_TRUE(Again) << Again.status().str();
  EXPECT_EQ(Again->write(), M.write());
}

TEST_F(ManifestTest, RefusesPathsThatLeadOut) {
  for (const char *Path :
       {"../a.parquet", "/etc/passwd", "types/../../a", ""}) {
    Manifest M;
    M.Files = {entry(Path)};
    const auto Read = Manifest::read(M.write(), "m.json");
    ASSERT_FALSE(Read) << Path;
    EXPECT_THAT(Read.status().str(), HasSubstr("leads out of the folder"));
  }
}

TEST_F(ManifestTest, AnotherFormatIsAnError) {
  for (const char *Text :
       {"", "[]", "{}", "{\"schema\":\"inmem-fleet-manifest/9\"}",
        "{\"schema\":\"inmem-fleet-manifest/1\",\"generation\":\"x\"}"})
    EXPECT_FALSE(Manifest::read(Text, "m")) << Text;
}

TEST_F(ManifestTest, TheSlowerOfTwoWritersStartsAgain) {
  const FleetFolder Fleet(store());
  int Tries = 0;
  const auto Done = Fleet.update([&](Manifest &M) -> trace::Result<bool> {
    // Another process is faster, the first time.
    if (++Tries == 1)
      EXPECT_TRUE(Fleet
                      .update([](Manifest &Other) -> trace::Result<bool> {
                        Other.Files.push_back(entry("types/other.parquet"));
                        return true;
                      })
                      .ok());
    M.Files.push_back(entry("types/mine.parquet"));
    return true;
  });
  ASSERT_TRUE(Done.ok()) << Done.str();
  EXPECT_EQ(Tries, 2);
  const auto Newest = Fleet.newest();
  ASSERT_TRUE(Newest);
  EXPECT_EQ(Newest->Generation, 2u);
  const ManifestIndex Index(*Newest);
  EXPECT_TRUE(Index.has("types/other.parquet"));
  EXPECT_TRUE(Index.has("types/mine.parquet"));
}

TEST_F(ManifestTest, FewGenerationsAreKept) {
  const FleetFolder Fleet(store());
  for (int I = 0; I < 25; ++I)
    ASSERT_TRUE(
        Fleet.update([](Manifest &) -> trace::Result<bool> { return true; })
            .ok());
  namespace fs = std::filesystem;
  const fs::path In = Folder / "fleet/_manifest";
  // Readers of a moment ago may be about to open one of them.
  EXPECT_EQ(std::distance(fs::directory_iterator(In), {}), 25);
  for (const auto &File : fs::directory_iterator(In))
    fs::last_write_time(File.path(), fs::file_time_type::clock::now() -
                                         std::chrono::minutes(2));
  ASSERT_TRUE(
      Fleet.update([](Manifest &) -> trace::Result<bool> { return true; })
          .ok());
  size_t Files = 0;
  for (const auto &File : fs::directory_iterator(In)) {
    EXPECT_FALSE(File.path().filename().string().ends_with(".part"));
    ++Files;
  }
  EXPECT_EQ(Files, 10u);
  EXPECT_EQ(Fleet.newest()->Generation, 26u);
}

TEST_F(ManifestTest, TwoWritersHaveTwoNames) {
  const std::string Mine = partOf("x.parquet").filename().string();
  EXPECT_TRUE(isPart(Mine)) << Mine;
  EXPECT_EQ(Mine, partOf("x.parquet").filename().string());
  EXPECT_FALSE(isPart("x.parquet"));
  // A pid is that of another process in another container, so there is more:
  // host, pid and a number.
  EXPECT_THAT(Mine, testing::MatchesRegex(
                        "_x\\.parquet\\.[A-Za-z0-9_-]+\\.[0-9]+\\.[0-9a-f]+"
                        "\\.part"));
  const std::string Random = Mine.substr(Mine.rfind('.') - 16, 16);
  EXPECT_NE(Random.substr(0, 8), "00000000");
  EXPECT_NE(Random.substr(8), "00000000");
}

TEST_F(ManifestTest, MergedLeadsToAValidFile) {
  Manifest M;
  M.Files = {entry("c")};
  M.Tombstones = {{"a", 1, "b"}, {"b", 2, "c"}, {"x", 3, ""},
                  {"y", 4, "x"}, {"p", 5, "q"}, {"q", 6, "p"}};
  const ManifestIndex Index(M);
  EXPECT_TRUE(Index.isMerged("a"));
  EXPECT_TRUE(Index.isMerged("b"));
  for (const char *Path : {"c", "x", "y", "p", "unknown"})
    EXPECT_FALSE(Index.isMerged(Path)) << Path;
  const auto Again = Manifest::read(M.write(), "m");
  ASSERT_TRUE(Again) << Again.status().str();
  EXPECT_TRUE(ManifestIndex(*Again).isMerged("a"));
}

} // namespace inmem::fleet
