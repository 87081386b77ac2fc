//===- SymbolizeTest.cpp - Names and lines from programs and libraries ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ToolFixture.h"

#include <algorithm>
#include <dlfcn.h>
#include <sys/resource.h>
#include <sys/stat.h>

using namespace inmem;
using namespace inmem::test;
using testing::HasSubstr;

namespace {

/// A trace with addresses in Inputs/symbols.c.
class Symbolize : public Tool {
protected:
  static constexpr char kLibrary[] = INMEM_SYMBOLS;
  static constexpr char kBuildId[] = "1234567890abcdef12345678";

  /// Offset of a symbol in the file.
  static uint64_t offsetOf(const char *Symbol) {
    static void *const Library = dlopen(kLibrary, RTLD_NOW);
    EXPECT_NE(Library, nullptr) << dlerror();
    void *const At = dlsym(Library, Symbol);
    EXPECT_NE(At, nullptr) << Symbol;
    Dl_info About{};
    EXPECT_NE(dladdr(At, &About), 0);
    return static_cast<uint64_t>(static_cast<char *>(At) -
                                 static_cast<char *>(About.dli_fbase));
  }
  void writeTrace(const std::vector<uint64_t> &Offsets,
                  const std::string &Path = kLibrary,
                  const std::string &BuildId = kBuildId,
                  const std::string &More = {}) {
    std::string Text = "header state=complete pid=3\nextent meta\n"
                       " module id=1 base=0x1000 path=\"" +
                       Path + "\" build-id=" + BuildId + "\n";
    for (size_t I = 0; I < Offsets.size(); ++I)
      Text += " address id=" + std::to_string(I + 1) +
              " module=1 offset=" + std::to_string(Offsets[I]) + "\n";
    write("t.inmem", assembled(Text + More));
  }
  /// Runs `inmem symbolize`. \returns its output, and the trace's contents
  /// after it
  std::string symbolize(const std::string &Arguments = {}) {
    const Ran R = inmem("symbolize t.inmem " + Arguments);
    EXPECT_EQ(R.Code, 0) << R.Err;
    const std::string Dumped = inmem("dump t.inmem").Out;
    const size_t Symbols = Dumped.find("  symbol ");
    return R.Out + (Symbols == Dumped.npos ? "" : Dumped.substr(Symbols));
  }
};

/// Seconds of CPU time of the commands that have ended.
double cpuOfCommands() {
  rusage Used{};
  getrusage(RUSAGE_CHILDREN, &Used);
  return static_cast<double>(Used.ru_utime.tv_sec + Used.ru_stime.tv_sec) +
         1e-6 *
             static_cast<double>(Used.ru_utime.tv_usec + Used.ru_stime.tv_usec);
}

/// A file's symbols are put in order once, not gone through for each address.
TEST_F(Symbolize, ManyAddressesTakeLittleLongerThanFew) {
  const auto Cost = [&](size_t Count) {
    std::vector<uint64_t> Offsets;
    for (size_t I = 0; I < Count; ++I)
      Offsets.push_back(0x40000 + 64 * (I % 8000));
    writeTrace(Offsets, INMEM_TOOL, "");
    const double Before = cpuOfCommands();
    EXPECT_EQ(inmem("symbolize -q t.inmem").Code, 0);
    return cpuOfCommands() - Before;
  };
  const double Few = std::min(Cost(100), Cost(100));
  EXPECT_LT(std::min(Cost(8000), Cost(8000)), 5 * Few);
}

TEST_F(Symbolize, NamesFunctionsWithTheirLines) {
  writeTrace({offsetOf("first"), offsetOf("within") + 1});
  EXPECT_THAT(
      symbolize(),
      testing::ContainsRegex(
          "^t.inmem: 2 code addresses named, 0 not\n"
          "  symbol address=1\n"
          "    frame function=\"first\" file=\"[^\n]*symbols.c\" line=9"
          "[^\n]*\n"
          "  symbol address=2\n"
          "    frame function=\"inlined\" file=\"[^\n]*symbols.c\" line=12"
          "[^\n]*\n"
          "    frame function=\"outer\" file=\"[^\n]*symbols.c\" line=17 "
          "column=10\n"));
}

TEST_F(Symbolize, AFunctionOfUnknownSizeIsOneByte) {
  writeTrace({offsetOf("bare"), offsetOf("bare") + 1});
  EXPECT_THAT(symbolize(),
              testing::ContainsRegex("^t.inmem: 1 code addresses named, 1 not\n"
                                     "  no symbols for [^\n]*\n"
                                     "  symbol address=1\n"
                                     "    frame function=\"bare\"\n"));
}

TEST_F(Symbolize, AnotherBuildIsNotAsked) {
  writeTrace({offsetOf("first")}, kLibrary, "1234567890abcdef12345679");
  EXPECT_EQ(symbolize(), "t.inmem: 0 code addresses named, 1 not\n"
                         "  no symbols for " +
                             std::string(kLibrary) + "\n");
  writeTrace({offsetOf("first")}, "", "");
  EXPECT_THAT(symbolize(), HasSubstr("no symbols for code without a file\n"));
}

TEST_F(Symbolize, FindsTheSameBuildInOtherLocations) {
  namespace fs = std::filesystem;
  const std::string Tree = "/tree/.build-id/12/";
  fs::create_directories(Dir + Tree);
  fs::create_directories(Dir + "/cache/" + kBuildId);
  fs::create_directories(Dir + "/home/.cache/debuginfod_client/" + kBuildId);
  const auto FoundWith = [&](const std::string &File,
                             const std::string &Arguments,
                             const std::string &Environment) {
    writeTrace({offsetOf("first")}, "/nonexistent/app");
    const std::string Line = "cd '" + Dir + "' && env " + Environment +
                             " " INMEM_TOOL_WORD " symbolize t.inmem " +
                             Arguments + " >out";
    const auto Named = [&] {
      EXPECT_EQ(std::system(Line.c_str()), 0);
      return slurp(Dir + "/out").substr(0, 10);
    };
    EXPECT_EQ(Named(), "t.inmem: 0") << File;
    fs::copy(kLibrary, Dir + File);
    EXPECT_EQ(Named(), "t.inmem: 1") << File;
    fs::remove(Dir + File);
  };
  const std::string Rest = std::string(kBuildId).substr(2);
  const std::string Id = kBuildId;
  FoundWith(Tree + Rest + ".debug", "--debug-dir tree", "HOME=/nonexistent");
  FoundWith(Tree + Rest, "--debug-dir tree", "HOME=/nonexistent");
  FoundWith("/cache/" + Id + "/debuginfo", "",
            "DEBUGINFOD_CACHE_PATH=" + Dir + "/cache");
  FoundWith("/cache/" + Id + "/executable", "",
            "DEBUGINFOD_CACHE_PATH=" + Dir + "/cache");
  const std::string Home = "/home/.cache/debuginfod_client/" + Id;
  FoundWith(Home + "/debuginfo", "",
            "-u XDG_CACHE_HOME -u DEBUGINFOD_CACHE_PATH HOME=" + Dir + "/home");
  FoundWith(Home + "/debuginfo", "",
            "-u DEBUGINFOD_CACHE_PATH HOME=/nonexistent XDG_CACHE_HOME=" + Dir +
                "/home/.cache");
}

TEST_F(Symbolize, AStrippedLibraryHasItsDebugFileInAFolder) {
  if (std::system("objcopy --version >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "needs objcopy";
  const std::string Tree = Dir + "/tree/.build-id/12";
  std::filesystem::create_directories(Tree);
  const std::string Commands = "objcopy --only-keep-debug '" +
                               std::string(kLibrary) + "' " + Tree + "/" +
                               std::string(kBuildId).substr(2) +
                               ".debug && objcopy --strip-debug '" + kLibrary +
                               "' " + Dir + "/stripped.so";
  ASSERT_EQ(std::system(Commands.c_str()), 0);
  writeTrace({offsetOf("first")}, Dir + "/stripped.so");
  EXPECT_THAT(symbolize("--debug-dir none"),
              testing::EndsWith("function=\"first\"\n"));
  EXPECT_THAT(symbolize("--again --debug-dir tree"),
              HasSubstr("symbols.c\" line=9 "));
}

TEST_F(Symbolize, LeavesWhatIsNamedUnlessAskedAgain) {
  writeTrace({offsetOf("first"), offsetOf("first"), offsetOf("first")},
             kLibrary, kBuildId,
             " symbol address=2\n  frame function=\"older\"\n");
  EXPECT_THAT(symbolize(), testing::StartsWith("t.inmem: 2 code addresses"));
  EXPECT_THAT(inmem("dump t.inmem").Out, HasSubstr("function=\"older\""));
  EXPECT_EQ(symbolize("-q").substr(0, 8), "  symbol");
  EXPECT_THAT(symbolize("--again"),
              testing::StartsWith("t.inmem: 3 code addresses named, 0 not\n"));
}

TEST_F(Symbolize, KeepsTheFilesModeAndLeavesNoOtherFile) {
  writeTrace({offsetOf("first")});
  const std::string File = Dir + "/t.inmem";
  ASSERT_EQ(chmod(File.c_str(), 0640), 0);
  symbolize();
  struct stat Now;
  ASSERT_EQ(stat(File.c_str(), &Now), 0);
  EXPECT_EQ(Now.st_mode & 07777, 0640u);
  EXPECT_FALSE(std::filesystem::exists(File + ".symbolize"));
}

TEST_F(Symbolize, KeepsTheProcessesThatNeedNoNames) {
  writeTrace({offsetOf("first")});
  EXPECT_EQ(inmem("merge -o m.inmem sample.inmem t.inmem other.inmem").Code, 0);
  EXPECT_EQ(inmem("symbolize -q m.inmem").Code, 0);
  const Ran R = inmem("dump m.inmem");
  EXPECT_EQ(R.Code, 0) << R.Err;
  EXPECT_EQ(R.Err, "");
  EXPECT_THAT(R.Out, HasSubstr("function=\"first\""));
  const auto Shown = inmem("report --format json m.inmem");
  EXPECT_EQ(nlohmann::json::parse(Shown.Out)["processes"].size(), 3u);
}

TEST_F(Symbolize, NamesWhatLacksSymbolsInEachProcess) {
  writeTrace({offsetOf("first")}, "", "");
  std::filesystem::rename(Dir + "/t.inmem", Dir + "/u.inmem");
  writeTrace({offsetOf("first")}, kLibrary, "1234567890abcdef12345679");
  EXPECT_EQ(inmem("merge -o m.inmem t.inmem u.inmem").Code, 0);
  const std::string Said = inmem("symbolize m.inmem").Out;
  EXPECT_THAT(Said, HasSubstr("0 code addresses named, 2 not\n"));
  EXPECT_THAT(Said,
              HasSubstr("  no symbols for " + std::string(kLibrary) + "\n"));
  EXPECT_THAT(Said, HasSubstr("  no symbols for code without a file\n"));
}

TEST_F(Symbolize, AFileThatCannotBeWrittenStaysAsItWas) {
  writeTrace({offsetOf("first")});
  // No file may grow beyond N blocks of 512 bytes: the process with names
  // is cut, or the one without behind it.
  for (const auto &[Order, Blocks] : {std::pair("sample.inmem t.inmem", 16),
                                      std::pair("t.inmem sample.inmem", 16),
                                      std::pair("t.inmem sample.inmem", 64)}) {
    EXPECT_EQ(inmem("merge -o m.inmem " + std::string(Order)).Code, 0);
    const std::string Before = slurp(Dir + "/m.inmem");
    const std::string Line = "cd '" + Dir + "' && trap '' XFSZ && ulimit -f " +
                             std::to_string(Blocks) +
                             " && " INMEM_TOOL_WORD
                             " symbolize -q m.inmem >out 2>err";
    EXPECT_EQ(WEXITSTATUS(std::system(Line.c_str())), 4) << Order;
    EXPECT_THAT(slurp(Dir + "/err"), HasSubstr("m.inmem: cannot write"));
    EXPECT_EQ(slurp(Dir + "/m.inmem"), Before);
    EXPECT_FALSE(std::filesystem::exists(Dir + "/m.inmem.symbolize"));
  }
}

TEST_F(Symbolize, ARunningProcessKeepsItsTrace) {
  write("t.inmem", assembled("header state=running pid=" +
                             std::to_string(getpid()) + "\nextent meta\n"));
  const Ran R = inmem("symbolize t.inmem");
  EXPECT_EQ(R.Code, 3);
  EXPECT_THAT(R.Err, HasSubstr("is still running"));
}

} // namespace
