//===- DatabaseTest.cpp - Files by the names that a trace has -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fix/code/Database.h"
#include "fix/TestFiles.h"

using namespace inmem::fix;
using inmem::test::messageOf;

namespace {

class Paths : public inmem::test::Files {
protected:
  /// A database of these units, whose commands run in the folder.
  Database units(const std::vector<std::string> &Names) const {
    std::string Text;
    for (const std::string &Name : Names)
      Text += (Text.empty() ? "[" : ",") + std::string("{\"directory\": \"") +
              Folder.string() + "\", \"file\": \"" + Name +
              "\", \"command\": \"c++ -c " + Name + "\"}";
    write("compile_commands.json", Text + "]");
    return llvm::cantFail(Database::load(Folder.string()));
  }
};

TEST(Path, IsBelowAFolderByWholeNames) {
  EXPECT_TRUE(isBelow("/a/b", "/a"));
  EXPECT_TRUE(isBelow("/a", "/a"));
  EXPECT_TRUE(isBelow("/a", "/"));
  EXPECT_FALSE(isBelow("/ab", "/a"));
  EXPECT_FALSE(isBelow("/a", "/a/b"));
}

TEST_F(Paths, AreWithoutLinksAndDots) {
  const std::string File = write("f.cpp", "");
  std::filesystem::create_symlink(File, Folder / "link.cpp");
  EXPECT_EQ(canonical((Folder / "link.cpp").string()), File);
  EXPECT_EQ(canonical("/no/such/../file"), "/no/file");
}

TEST_F(Paths, OfAUnitLeadToIt) {
  const std::string File = write("a.cpp", "");
  const Database D = units({"a.cpp"});
  for (const std::string &Name : {std::string("a.cpp"), File}) {
    const auto At = llvm::cantFail(D.locate(Name));
    EXPECT_EQ(At.File, File);
    EXPECT_EQ(At.Units, std::vector<std::string>{File});
  }
  EXPECT_EQ(messageOf(D.locate("b.cpp")), "b.cpp is not there");
  write("b.cpp", "");
  EXPECT_EQ(messageOf(D.locate("b.cpp")),
            "the compilation database has no command for b.cpp");
}

TEST_F(Paths, OfAHeaderLeadToUnitsThatIncludeIt) {
  const std::string Other = write("other.cpp", "int x;\n"),
                    Includes = write("user.cpp", "  # include \"lib/h.h\"\n"),
                    Own = write("h.cpp", "");
  const std::string Header = write("h.h", "");
  const auto At =
      llvm::cantFail(units({"other.cpp", "user.cpp", "h.cpp"}).locate("h.h"));
  EXPECT_EQ(At.File, Header);
  EXPECT_EQ(At.Units, (std::vector<std::string>{Own, Includes, Other}));
}

TEST_F(Paths, UnitsThatNameAnIdentifierHaveAllOfIt) {
  const std::string Own = write("own.cpp", "f();"),
                    Calls = write("calls.cpp", "int g = f();"),
                    Last = write("last.cpp", "my_f(); f");
  write("longer.cpp", "f2(); _f(); off();");
  const Database D =
      units({"own.cpp", "calls.cpp", "last.cpp", "longer.cpp", "gone.cpp"});
  EXPECT_EQ(D.unitsThatName("f", Own), (std::vector<std::string>{Calls, Last}));
}

} // namespace
