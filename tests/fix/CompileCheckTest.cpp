//===- CompileCheckTest.cpp - Edits that do not compile -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fix/verify/CompileCheck.h"
#include "fix/TestFiles.h"

#include <gmock/gmock.h>

using namespace inmem::fix;
using clang::tooling::Replacement;
using testing::ElementsAre;
using testing::EndsWith;
using testing::IsEmpty;

namespace {

class Compiling : public inmem::test::Files {
protected:
  /// A database of units, each compiled with \p Flags in the folder.
  Database units(const std::vector<std::string> &Names,
                 const std::string &Flags = "") const {
    std::string Text;
    for (const std::string &Name : Names)
      Text += (Text.empty() ? "[" : ",") + std::string("{\"directory\": \"") +
              Folder.string() + "\", \"file\": \"" + Name +
              "\", \"command\": \"c++ " + Flags + " -c " + Name + "\"}";
    write("compile_commands.json", Text + "]");
    return llvm::cantFail(Database::load(Folder.string()));
  }
  /// Replaces the first \p Old in a file.
  static FileEdits edit(const std::string &File, const std::string &Old,
                        const std::string &New) {
    std::ifstream In(File);
    const std::string Text{std::istreambuf_iterator<char>(In), {}};
    FileEdits Out;
    llvm::cantFail(
        Out[File].add(Replacement(File, static_cast<unsigned>(Text.find(Old)),
                                  static_cast<unsigned>(Old.size()), New)));
    return Out;
  }
};

TEST_F(Compiling, AnErrorHasItsPlaceInTheEditedText) {
  const std::string File = write("a.cpp", "int f() { return 1; }\n");
  const Database D = units({"a.cpp"});
  CompileCheck Check(D);
  EXPECT_EQ(Check.errorOf(edit(File, "1", "2"), {File}), "");
  EXPECT_THAT(
      Check.errorOf(edit(File, "return", "\n  retur"), {File}),
      EndsWith("a.cpp:2:3: error: use of undeclared identifier 'retur'"));
  // Nothing was written.
  EXPECT_EQ(Check.errorOf({}, {File}), "");
}

TEST_F(Compiling, AHeaderIsCompiledInAllUnitsThatIncludeIt) {
  const std::string Header =
      write("h.h", "inline int f(int I) { return I; }\n");
  write("middle.h", "#include \"h.h\"\n");
  const std::string Own = write("a.cpp", "#include \"h.h\"\nint A = f(1);\n"),
                    Far = write("b.cpp", "#include \"middle.h\"\n"
                                         "int (*B)(int) = f;\n");
  write("c.cpp", "int C;\n");
  const Database D = units({"c.cpp", "a.cpp", "b.cpp"});
  CompileCheck Check(D);
  const FileEdits Edits = edit(Header, "int I", "const int &I");
  const CompileCheck::Units In = Check.unitsOf(Edits, Own);
  EXPECT_THAT(In.Names, ElementsAre(Own, Far));
  EXPECT_EQ(In.Left, 0u);
  EXPECT_EQ(Check.errorOf(Edits, {Own}), "");
  EXPECT_THAT(Check.errorOf(Edits, In.Names), testing::HasSubstr("b.cpp:2:"));
  // A unit's own text concerns no other.
  EXPECT_THAT(Check.unitsOf(edit(Own, "1", "2"), Own).Names, ElementsAre(Own));
}

TEST_F(Compiling, AFileIsTheSameByEachOfItsNames) {
  std::filesystem::create_directory(Folder / "real");
  const std::string Header = write("real/h.h", "int f();\n");
  std::filesystem::create_symlink("real", Folder / "link");
  std::filesystem::create_symlink("real/h.h", Folder / "other.h");
  const std::string Own =
                        write("a.cpp", "#include \"link/h.h\"\nint A = f();\n"),
                    Other =
                        write("b.cpp", "#include \"other.h\"\nint B = f();\n");
  const Database D = units({"a.cpp", "b.cpp"});
  CompileCheck Check(D);
  const FileEdits Edits = edit(Header, "int f", "int g");
  EXPECT_THAT(Check.unitsOf(Edits, Own).Names, ElementsAre(Own, Other));
  for (const std::string &Unit : {Own, Other})
    EXPECT_THAT(Check.errorOf(Edits, {Unit}),
                testing::HasSubstr(":2:9: error"));
}

TEST_F(Compiling, ANewWarningIsAnErrorWhereTheCommandSaysSo) {
  const std::string File = write("a.cpp", "int f() { return 1; }\n");
  const FileEdits Edits = edit(File, "return", "int Unused; return");
  const Database Strict = units({"a.cpp"}, "-Wall -Wextra -Werror");
  EXPECT_THAT(CompileCheck(Strict).errorOf(Edits, {File}),
              testing::HasSubstr("error: unused variable 'Unused'"));
  const Database Lenient = units({"a.cpp"}, "-Wall -Wextra");
  EXPECT_EQ(CompileCheck(Lenient).errorOf(Edits, {File}), "");
  // The unit has warnings of clang's today; another compiler has none.
  const std::string Warned =
      write("b.cpp", "int g() { int Old; return 2; }\nint h() { return 1; }\n");
  const Database Both = units({"b.cpp"}, "-Wall -Wextra -Werror");
  EXPECT_EQ(CompileCheck(Both).errorOf(edit(Warned, "return 1", "return 3"),
                                       {Warned}),
            "");
}

} // namespace
