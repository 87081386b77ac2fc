//===- RequestFileTest.cpp - Findings and options of inmem fix ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fix/RequestFile.h"
#include "fix/TestFiles.h"

using namespace inmem::fix;
using inmem::test::messageOf;

namespace {

class RequestFile : public inmem::test::Files {};

TEST_F(RequestFile, HasFindingsAndOptions) {
  const auto R = llvm::cantFail(readRequest(write("request.json", R"({
    "schema": "inmem-fix/1", "mode": "verify", "database": "build",
    "root": "/src", "total_bytes": 90, "rules": ["a", "b"],
    "command": ["./app", "-v"], "runs": 5, "timeout": 7, "ignore_output": true,
    "sources": [{"file": "a.cpp", "hash": "18446744073709551615"},
                {"file": "b.cpp", "hash": "no number"}],
    "findings": [{"rule": "padding"},
      {"rule": "vector-regrowth", "reserve": 8, "saves_bytes": 64,
       "type_peak_live_bytes": 3,
       "site": {"function": "f", "file": "a.cpp", "line": 12, "column": 4},
       "lines": [{"line": 12, "allocations": 3}, {"line": 14, "allocations": 2}]}]
  })")));
  EXPECT_EQ(R.Does, Mode::Verify);
  EXPECT_EQ(R.Root, "/src");
  EXPECT_EQ(R.TotalBytes, 90u);
  EXPECT_EQ(R.Rules, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(R.Command, (std::vector<std::string>{"./app", "-v"}));
  EXPECT_EQ(R.Runs, 5u);
  EXPECT_EQ(R.TimeoutSeconds, 7u);
  EXPECT_TRUE(R.IgnoreOutput);
  ASSERT_EQ(R.Sources.size(), 1u);
  EXPECT_EQ(R.Sources.begin()->second, ~uint64_t{0});
  ASSERT_EQ(R.Findings.size(), 2u);
  const Finding &F = R.Findings[1];
  EXPECT_EQ(F.Number, 2u);
  EXPECT_EQ(F.rule(), "vector-regrowth");
  EXPECT_EQ(F.at(), "a.cpp:12");
  EXPECT_EQ(F.Column, 4u);
  EXPECT_EQ(F.Function, "f");
  EXPECT_EQ(F.Reserve, 8u);
  EXPECT_EQ(F.SavesBytes, 64u);
  EXPECT_EQ(F.AliveAtPeak, 3u);
  EXPECT_EQ(F.Lines, (std::map<unsigned, uint64_t>{{12, 3}, {14, 2}}));
}

TEST_F(RequestFile, ThatCannotBeReadSaysWhy) {
  EXPECT_EQ(messageOf(readRequest((Folder / "none").string())),
            "cannot read the request: No such file or directory");
  EXPECT_EQ(messageOf(readRequest(write("list.json", "[]"))),
            "the request is not a JSON object");
  EXPECT_NE(messageOf(readRequest(write("cut.json", "{"))), "");
}

/// A request that also has \p Members.
std::string requestWith(const std::string &Members) {
  return R"({"schema": "inmem-fix/1", "database": "build", "root": "/src", )" +
         Members + "}";
}

TEST_F(RequestFile, OfAnotherFormIsRefused) {
  const auto MessageOf = [&](const std::string &Text) {
    return messageOf(readRequest(write("request.json", Text)));
  };
  EXPECT_EQ(MessageOf(R"({"mode": "list", "findings": []})"),
            "the request has no schema, expected inmem-fix/1: inmem is older "
            "than inmem-fix");
  EXPECT_EQ(MessageOf(R"({"schema": "inmem-fix/2"})"),
            "the request is of the schema inmem-fix/2, expected inmem-fix/1: "
            "inmem and inmem-fix are of two versions");
  EXPECT_EQ(MessageOf(requestWith(R"("findings": [])")),
            "the request lacks 'mode', a text");
  EXPECT_EQ(MessageOf(requestWith(R"("mode": "list", "fndings": [])")),
            "the request lacks 'findings', a list");
  EXPECT_EQ(MessageOf(requestWith(R"("mode": "lst", "findings": [])")),
            "the request has the unknown mode 'lst'");
  EXPECT_EQ(
      MessageOf(requestWith(R"("mode": "list", "findings": [{"rule": "x"}])")),
      "a finding in the request has the unknown rule 'x'");
  EXPECT_EQ(MessageOf(requestWith(R"("mode": "list", "findings": [7])")),
            "a finding in the request is not a JSON object");
  EXPECT_EQ(MessageOf(requestWith(R"("mode": "list", "findings": [])")), "");
}

} // namespace
