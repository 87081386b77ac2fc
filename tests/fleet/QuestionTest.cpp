//===- QuestionTest.cpp - Queries with parameters -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/query/Question.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inmem::fleet {

using testing::HasSubstr;
using testing::SizeIs;

TEST(Question, ParametersBecomeDuckDBs) {
  EXPECT_EQ(withDollars("a = :x AND b::text = ':y' -- :z\n AND \":q\" = :w_1"),
            "a = $x AND b::text = ':y' -- :z\n AND \":q\" = $w_1");
  EXPECT_EQ(withDollars("/* :a */ x[1:2] :b"), "/* :a */ x[1:2] $b");
  EXPECT_EQ(withDollars("'it''s :a' :b"), "'it''s :a' $b");
  EXPECT_EQ(withDollars("':open"), "':open");
}

TEST(Question, HeaderIsHelpAndParameters) {
  const auto Q =
      parseQuestion("q", "-- SPDX-x: y\n-- Helps.\n-- :top integer 20 rows to "
                         "show\n-- :old text - before\nSELECT 1\n");
  ASSERT_TRUE(Q) << Q.status().str();
  EXPECT_EQ(Q->Help, "Helps.");
  ASSERT_THAT(Q->Parameters, SizeIs(2));
  EXPECT_TRUE(Q->Parameters[0].Integer);
  EXPECT_EQ(Q->Parameters[0].Default, "20");
  EXPECT_EQ(Q->Parameters[0].Help, "rows to show");
  EXPECT_FALSE(Q->Parameters[1].Default);
  EXPECT_EQ(Q->Sql, "SELECT 1\n");
  EXPECT_FALSE(parseQuestion("q", "SELECT 1"));
  EXPECT_FALSE(parseQuestion("q", "-- Helps.\n-- :top number 2\nSELECT 1"));
}

TEST(Question, LinesOfSqlFollowEachOther) {
  const auto Q = parseQuestion(
      "q", "-- Helps.\n-- And more.\nSELECT 1\n  FROM t\n-- :top integer 2 "
           "rows\n LIMIT :top\n");
  ASSERT_TRUE(Q) << Q.status().str();
  EXPECT_EQ(Q->Help, "Helps.");
  EXPECT_EQ(Q->Sql, "SELECT 1\n  FROM t\n LIMIT :top\n");
  EXPECT_THAT(Q->Parameters, SizeIs(1));
}

TEST(Question, FolderThatCannotBeReadSaysWhy) {
  const auto None = storedQuestions("no/such/folder");
  ASSERT_FALSE(None);
  EXPECT_THAT(None.status().str(), HasSubstr("no/such/folder"));
  EXPECT_THAT(None.status().str(), HasSubstr("No such file or directory"));
}

TEST(Question, ValuesAreGivenOrDefaults) {
  const auto Q = parseQuestion(
      "q", "-- H\n-- :top integer 20 rows\n-- :old text - before\nSELECT 1\n");
  const auto Values = valuesFor(*Q, {"old=12"});
  ASSERT_TRUE(Values) << Values.status().str();
  ASSERT_THAT(*Values, SizeIs(2));
  EXPECT_EQ(std::get<int64_t>((*Values)[0].Value), 20);
  EXPECT_EQ(std::get<std::string>((*Values)[1].Value), "12");
  EXPECT_THAT(valuesFor(*Q, {}).status().str(), HasSubstr("old=… (before)"));
  EXPECT_THAT(valuesFor(*Q, {"old=1", "new=2"}).status().str(),
              HasSubstr("no parameter 'new'"));
  EXPECT_THAT(valuesFor(*Q, {"old=1", "top=x"}).status().str(),
              HasSubstr("expected a number"));
  EXPECT_FALSE(valuesFor(*Q, {"old"}));
}

static QueryResult result() {
  return {{{"name", Shape::Text}, {"n", Shape::Integer}},
          {{"<b>\"x\",y", "1234567"}, {std::nullopt, "-5"}}};
}

TEST(Answers, AreExactInEachFormat) {
  const QueryResult A = result();
  EXPECT_EQ(resultCsv(A), "name,n\n\"<b>\"\"x\"\",y\",1234567\n,-5\n");
  EXPECT_EQ(resultJson(A), "[\n {\"name\": \"<b>\\\"x\\\",y\", \"n\": 1234567},"
                           "\n {\"name\": null, \"n\": -5}\n]\n");
  EXPECT_EQ(resultJson({{{"a", Shape::Text}}, {}}), "[]\n");
  EXPECT_THAT(resultText(A, {.Width = 80}), HasSubstr("1 234 567"));
  EXPECT_THAT(resultText({{{"a", Shape::Text}}, {}}, {}), HasSubstr("no rows"));
  // Ids and lines are for copying.
  const QueryResult Ids{{{"type_id", Shape::Integer}, {"line", Shape::Integer}},
                        {{"1234567", "2345678"}}};
  EXPECT_THAT(resultText(Ids, {.Width = 80}),
              testing::ContainsRegex("1234567 +2345678"));
}

TEST(Answers, PageEscapes) {
  Question Q;
  Q.Name = "q";
  Q.Sql = "SELECT '<script>'";
  const std::string Page =
      resultPage(result(), Q, {{"type", std::string("a<b")}});
  EXPECT_THAT(Page, HasSubstr("&lt;b&gt;&quot;x&quot;,y"));
  EXPECT_THAT(Page, HasSubstr("type = a&lt;b"));
  EXPECT_EQ(Page.find("'<script>'"), std::string::npos);
  EXPECT_THAT(Page, HasSubstr("--share:100%"));
}

} // namespace inmem::fleet
