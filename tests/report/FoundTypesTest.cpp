//===- FoundTypesTest.cpp - Types found in programs' files ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/ProfileOf.h"
#include "report/formats/Reports.h"
#include "report/text/TextReport.h"
#include "support/SampleTrace.h"

#include <gmock/gmock.h>

using namespace inmem::report;
using namespace inmem::test;
using inmem::trace::FoundRule;
using inmem::trace::TypeSource;

namespace {

/// The sample, whose site 5 allocated a block of 112 bytes, with more records.
std::string sampleWith(const std::string &Records) {
  std::string Text = kSample;
  const size_t Line = Text.find("  site id=5 ");
  return Text.insert(Text.find('\n', Line) + 1, Records);
}

std::string foundType(std::string_view Source) {
  return sampleWith("  found-type site=5 source=" + std::string(Source) +
                    " rule=vtable size=112 name=\"Found\"\n");
}

TEST(FoundTypes, BlocksHaveTheTypeThatTheTraceHas) {
  const Profile P = profileOf(readText(foundType("certain")), {});
  const TypeResult *T = typeOf(P, "Found");
  ASSERT_NE(T, nullptr);
  EXPECT_EQ(T->Source, TypeSource::Certain);
  EXPECT_EQ(T->Sum.AllocatedBytes, 112u);
  EXPECT_EQ(T->Size, 112u);
  EXPECT_EQ(P.Sites[T->Sites.front()].FoundBy, FoundRule::Vtable);
}

TEST(FoundTypes, TheLayoutOfAnInferredTypeIsNotUsed) {
  const Profile P = profileOf(readText(foundType("inferred")), {});
  const TypeResult *T = typeOf(P, "Found");
  ASSERT_NE(T, nullptr);
  EXPECT_EQ(T->Source, TypeSource::Inferred);
  EXPECT_EQ(T->Size, std::nullopt);
}

TEST(FoundTypes, ExactLeavesOutWhatIsInferred) {
  ProfileOptions Exact;
  Exact.ExactTypes = true;
  EXPECT_NE(typeOf(profileOf(readText(foundType("certain")), Exact), "Found"),
            nullptr);
  for (const char *Source : {"inferred", "symbol"})
    EXPECT_EQ(typeOf(profileOf(readText(foundType(Source)), Exact), "Found"),
              nullptr);
}

TEST(FoundTypes, OneThatTheCompilerSawHasTheSameRow) {
  const Profile P = profileOf(
      readText(sampleWith("  found-type site=5 source=inferred rule=member "
                          "name=\"Foo\"\n")),
      {});
  const TypeResult *T = typeOf(P, "Foo");
  ASSERT_NE(T, nullptr);
  EXPECT_EQ(T->Source, TypeSource::Inferred) << "the least sure of its sites";
  EXPECT_EQ(T->Size, 24u);
}

TEST(FoundTypes, TextMarksInferredNamesAndCountsThem) {
  for (const char *Source : {"inferred", "symbol"})
    EXPECT_THAT(printText(profileOf(readText(foundType(Source)), {}), {}, {}),
                testing::HasSubstr("~Found"));
  const std::string Certain =
      printText(profileOf(readText(foundType("certain")), {}), {}, {});
  EXPECT_THAT(Certain, testing::HasSubstr("Found"));
  EXPECT_THAT(Certain, testing::Not(testing::HasSubstr("~")));
  EXPECT_THAT(printText(profileOf(readText(foundType("inferred")), {}), {}, {}),
              testing::HasSubstr("1 ~inferred"));
}

TEST(FoundTypes, JsonSaysHowSureATypeIs) {
  const auto Sources = [](const std::string &Text) {
    return printJson(profileOf(readText(Text), {}), {});
  };
  EXPECT_THAT(Sources(foundType("inferred")),
              testing::HasSubstr("\"type_source\": \"inferred\""));
  EXPECT_THAT(Sources(foundType("certain")),
              testing::HasSubstr("\"type_source\": \"certain\""));
  EXPECT_THAT(Sources(kSample),
              testing::HasSubstr("\"type_source\": \"compiler\""));
}

TEST(FoundTypes, ARecordOfAnUnknownSiteIsDamage) {
  for (const char *Site : {"0", "77"}) {
    const auto T =
        readText(sampleWith("  found-type site=" + std::string(Site) +
                            " source=certain rule=vtable name=\"Found\"\n"));
    EXPECT_TRUE(T.FoundTypes.empty());
    EXPECT_TRUE(T.damaged());
  }
}

TEST(FoundTypes, ARecordOfAnUnknownSourceIsDamage) {
  const auto T = readText(foundType("5"));
  EXPECT_TRUE(T.FoundTypes.empty());
  EXPECT_TRUE(T.damaged());
}

} // namespace
