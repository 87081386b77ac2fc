//===- EditsTest.cpp - Edits as changes of lines, and as a patch ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fix/code/Edits.h"
#include "fix/TestFiles.h"

using namespace inmem::fix;
using clang::tooling::Replacement;
using inmem::test::messageOf;

namespace {

constexpr char kCode[] = "int a;\nint b;\nint c;\n";

/// Offset, length and text of each.
FileEdits
edits(const std::string &File,
      const std::vector<std::tuple<unsigned, unsigned, const char *>> &All) {
  FileEdits Out;
  for (const auto &[Offset, Length, Text] : All) {
    FileEdits One;
    llvm::cantFail(One[File].add(Replacement(File, Offset, Length, Text)));
    EXPECT_TRUE(merge(Out, One)) << Text;
  }
  return Out;
}

std::string applied(const FileEdits &Edits) {
  return llvm::cantFail(
      clang::tooling::applyAllReplacements(kCode, Edits.at("f")));
}

TEST(Edits, LinesKeepTheirNewlines) {
  EXPECT_TRUE(linesOf("").empty());
  EXPECT_EQ(linesOf("a\n\nb"),
            (std::vector<llvm::StringRef>{"a\n", "\n", "b"}));
}

TEST(Edits, AreChangesOfWholeLines) {
  const FileEdits Both = edits("f", {{4, 1, "x"}, {14, 0, "long "}});
  const auto Changes = changesOf(kCode, Both.at("f"));
  ASSERT_EQ(Changes.size(), 2u);
  EXPECT_EQ(Changes[0].First, 0u);
  EXPECT_EQ(Changes[0].Last, 1u);
  EXPECT_EQ(Changes[0].New, "int x;\n");
  EXPECT_EQ(Changes[1].First, 2u);
  EXPECT_EQ(Changes[1].New, "long int c;\n");
}

TEST(Edits, OfOneLineAreOneChange) {
  const auto Changes =
      changesOf(kCode, edits("f", {{0, 3, "long"}, {4, 1, "x"}}).at("f"));
  ASSERT_EQ(Changes.size(), 1u);
  EXPECT_EQ(Changes[0].Last, 1u);
  EXPECT_EQ(Changes[0].New, "long x;\n");
}

TEST(Edits, AnInsertedLineReplacesNone) {
  const auto Changes =
      changesOf(kCode, edits("f", {{7, 0, "int n;\n"}}).at("f"));
  ASSERT_EQ(Changes.size(), 1u);
  EXPECT_EQ(Changes[0].First, 1u);
  EXPECT_EQ(Changes[0].Last, 1u);
  EXPECT_EQ(Changes[0].New, "int n;\n");
}

TEST(Edits, ThatOverlapAreNotMerged) {
  FileEdits All = edits("f", {{0, 5, "long y"}});
  EXPECT_FALSE(merge(All, edits("f", {{4, 1, "z"}, {7, 3, "char"}})));
  EXPECT_EQ(applied(All), "long y;\nint b;\nint c;\n"); // none of them
  EXPECT_TRUE(merge(All, edits("f", {{7, 3, "char"}})));
  EXPECT_EQ(applied(All), "long y;\nchar b;\nint c;\n");
}

TEST(Edits, InsertionsAtOnePlaceFollowEachOther) {
  EXPECT_EQ(applied(edits("f", {{7, 0, "int m;\n"}, {7, 0, "int n;\n"}})),
            "int a;\nint m;\nint n;\nint b;\nint c;\n");
  EXPECT_EQ(applied(edits("f", {{0, 0, "#include <vector>\n"},
                                {0, 0, "#include <vector>\n"}})),
            "#include <vector>\nint a;\nint b;\nint c;\n");
}

TEST(Edits, PathsAreRelativeToTheRoot) {
  EXPECT_EQ(relativeTo("/a", "/a/b/c.cpp"), "b/c.cpp");
  EXPECT_EQ(relativeTo("/", "/b.cpp"), "b.cpp");
  EXPECT_EQ(relativeTo("/a", "/ab/c.cpp"), "/ab/c.cpp");
  EXPECT_EQ(relativeTo("/a", "/a"), "/a");
}

class Patch : public inmem::test::Files {};

TEST_F(Patch, HasContextAndNumbersOfLines) {
  std::string Code;
  for (int I = 1; I <= 9; ++I)
    Code += std::to_string(I) + "\n";
  const std::string File = write("f.cpp", Code + "end");
  auto Text = unifiedDiff(edits(File, {{8, 1, "five"}, {18, 3, "END"}}),
                          Folder.string());
  EXPECT_EQ(messageOf(unifiedDiff(edits(File + "x", {{0, 0, "a"}}), "/")),
            "cannot read " + File + "x");
  ASSERT_TRUE(static_cast<bool>(Text));
  EXPECT_EQ(*Text, "--- a/f.cpp\n+++ b/f.cpp\n"
                   "@@ -2,9 +2,9 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n 9\n"
                   "-end\n\\ No newline at end of file\n"
                   "+END\n\\ No newline at end of file\n");
}

TEST_F(Patch, HasAHunkForEachPlaceThatIsFarFromOthers) {
  std::string Code;
  for (int I = 0; I < 20; ++I)
    Code += "x\n";
  auto Text =
      unifiedDiff(edits(write("f.cpp", Code), {{0, 0, "a\nb\n"}, {38, 2, ""}}),
                  Folder.string());
  ASSERT_TRUE(static_cast<bool>(Text));
  EXPECT_NE(Text->find("@@ -1,3 +1,5 @@\n+a\n+b\n x\n"), std::string::npos)
      << *Text;
  EXPECT_NE(Text->find("@@ -17,4 +19,3 @@\n x\n x\n x\n-x\n"),
            std::string::npos)
      << *Text;
}

} // namespace
