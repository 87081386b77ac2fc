//===- ConfigTest.cpp - fleet.toml ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/folder/Config.h"

#include "fleet/FleetFixture.h"

#include <array>
#include <gmock/gmock.h>

namespace inmem::fleet {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

constexpr char kConfig[] = R"(
[labels]
team = "core"
tier = "2"
[services.web]
labels = { team = "web" }
sample_bytes = "512 KiB"
[services.batch]
sample_bytes = 4096
)";

TEST(Config, AServicesLabelsComeFirst) {
  const auto C = readConfig(kConfig, "fleet.toml");
  ASSERT_TRUE(C) << C.status().str();
  EXPECT_THAT(C->labelsOf("web"),
              ElementsAre(Pair("team", "web"), Pair("tier", "2")));
  EXPECT_THAT(C->labelsOf("other"),
              ElementsAre(Pair("team", "core"), Pair("tier", "2")));
}

TEST(Config, OptionsHaveLabelsAndSampling) {
  const auto C = readConfig(kConfig, "fleet.toml");
  ASSERT_TRUE(C) << C.status().str();
  EXPECT_EQ(optionsFor(*C, "web", {{"build", "13"}, {"tier", "1"}}, false),
            "labels=build=13,service=web,team=web,tier=1:sample_bytes=524288");
  EXPECT_EQ(optionsFor(*C, "batch", {}, false),
            "labels=service=batch,team=core,tier=2:sample_bytes=4096");
  EXPECT_EQ(optionsFor(*C, "batch", {}, true),
            "labels=service=batch,team=core,tier=2");
  // A service that is not there has no sampling, whatever follows in memory.
  struct {
    FleetConfig Of;
    std::array<uint64_t, 16> After;
  } None;
  None.After.fill(1);
  EXPECT_EQ(optionsFor(None.Of, "x", {}, false), "labels=service=x");
}

TEST(Config, ErrorsNameTheLocation) {
  const auto ErrorOf = [](const std::string &Text) {
    const auto C = readConfig(Text, "fleet.toml");
    return C ? "none" : C.status().str();
  };
  EXPECT_THAT(ErrorOf("[labels]\nteam = 3\n"),
              HasSubstr("fleet.toml:2:8: team: expected a text"));
  EXPECT_THAT(ErrorOf("[labels]\nteam = \"a,b\"\n"), HasSubstr("without `,`"));
  EXPECT_THAT(ErrorOf("[labels]\nteam = \"" + std::string(257, 'x') + "\"\n"),
              HasSubstr("at most 256 bytes"));
  EXPECT_THAT(ErrorOf("[label]\n"),
              HasSubstr("expected labels or services, found \"label\""));
  EXPECT_THAT(ErrorOf("[services.web]\nsample = 3\n"),
              HasSubstr("expected labels or sample_bytes, found \"sample\""));
  EXPECT_THAT(ErrorOf("[services.web]\nsample_bytes = -3\n"),
              HasSubstr("sample_bytes: expected a size"));
  EXPECT_THAT(ErrorOf("[services.web]\nlabels = { service = \"x\" }\n"),
              HasSubstr("cannot change its name"));
  EXPECT_THAT(ErrorOf("services = 3\n"), HasSubstr("expected a table"));
  EXPECT_THAT(ErrorOf("[labels\n"), HasSubstr("fleet.toml:1:"));
  std::string Many = "[labels]\n";
  for (int I = 0; I < 33; ++I)
    Many += "k" + std::to_string(I) + " = \"v\"\n";
  EXPECT_THAT(ErrorOf(Many), HasSubstr("expected at most 32, found 33"));
}

class ConfigTest : public FleetTest {};

TEST_F(ConfigTest, ExportGivesLabelsToTracesWithoutThem) {
  INMEM_NEED_DUCKDB();
  const auto C = readConfig(kConfig, "fleet.toml");
  ASSERT_TRUE(C);
  auto To = Exporter::open(store(), {.Config = *C});
  ASSERT_TRUE(To);
  ASSERT_TRUE(
      To->add(writeTrace("a", traceText(1, "service=web,tier=1", 10))).ok());
  ASSERT_TRUE(To->add(writeTrace("b", traceText(2, "", 10))).ok());
  ASSERT_TRUE(To->finish().ok());
  auto Engine = Duck::open({.Threads = 1});
  ASSERT_TRUE(Engine);
  const FleetFolder Fleet(store());
  const auto M = Fleet.newest();
  ASSERT_TRUE(M);
  std::vector<const FileEntry *> Files;
  for (const FileEntry &F : M->Files)
    if (F.Table == "labels")
      Files.push_back(&F);
  const auto Found = Engine->query(
      "SELECT service || ' ' || label || ' ' || value AS t FROM read_parquet(" +
      fileList(Fleet, Files) + ", hive_partitioning = true) ORDER BY 1");
  ASSERT_TRUE(Found) << Found.status().str();
  std::vector<std::string> Rows;
  for (const auto &Row : Found->Rows)
    Rows.push_back(Row[0].value_or(""));
  EXPECT_THAT(Rows,
              ElementsAre("app team core", "app tier 2", "web service web",
                          "web team web", "web tier 1"));
}

} // namespace inmem::fleet
