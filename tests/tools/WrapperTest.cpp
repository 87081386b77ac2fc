//===- WrapperTest.cpp - Command lines that inmem-clang makes -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The wrapper in a folder of its own, with a clang that prints its arguments.
// What the real one makes of them is tested in lit-tests/wrapper.
//
//===----------------------------------------------------------------------===//
#include "ToolFixture.h"

#include <sstream>

using namespace inmem;
using namespace inmem::test;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace {

using Words = std::vector<std::string>;

class Wrapper : public testing::Test {
protected:
  Wrapper() {
    namespace fs = std::filesystem;
    for (const char *Folder : {"/bin", "/lib", "/fake", "/here"})
      fs::create_directory(Dir + Folder);
    fs::copy(INMEM_WRAPPER, Dir + "/bin/inmem-clang++");
    std::ofstream Plugin(Dir + "/lib/libinmem.so");
    fake("clang++", INMEM_LLVM_VERSION);
  }

  /// A compiler that prints its arguments, one a line.
  void fake(const std::string &Name, int Version) {
    const std::string Path = Dir + "/fake/" + Name;
    std::ofstream(Path) << "#!/bin/sh\nif [ \"$*\" = --version ]; then\n"
                        << "  echo 'Some clang version " << Version
                        << ".1.2 (x)'\nelse\n"
                        << "  printf '%s\\n' \"$@\"\nfi\n";
    chmod(Path.c_str(), 0755);
  }
  static std::string slurp(const std::string &Path) {
    std::ifstream In(Path, std::ios::binary);
    return {std::istreambuf_iterator<char>(In), {}};
  }
  Ran run(const std::string &Arguments, const std::string &Environment = {}) {
    const std::string Line = "cd '" + Dir + "/here' && INMEM_CLANG='" + Dir +
                             "/fake/clang++' " + Environment +
                             " ../bin/inmem-clang++ " + Arguments +
                             " >../out 2>../err </dev/null";
    const int Status = std::system(Line.c_str());
    return {WEXITSTATUS(Status), slurp(Dir + "/out"), slurp(Dir + "/err")};
  }
  /// The words that clang gets.
  Words given(const std::string &Arguments) {
    const Ran R = run(Arguments);
    EXPECT_EQ(R.Code, 0) << R.Err;
    std::istringstream In(R.Out);
    Words Out;
    for (std::string Line; std::getline(In, Line);)
      Out.push_back(Line);
    return Out;
  }
  bool compilesWithPlugin(const std::string &Arguments) {
    const Words W = given(Arguments);
    return std::find(W.begin(), W.end(),
                     "-fplugin=" + Dir + "/lib/libinmem.so") != W.end();
  }
  /// The way the runtime is linked: "" not, or the linker's word before it.
  std::string linked(const std::string &Arguments) {
    const Words W = given(Arguments);
    for (size_t I = 2; I < W.size(); ++I)
      if (W[I].starts_with(Dir + "/lib/libinmem_rt."))
        return W[I - 2];
    return "";
  }

private:
  TemporaryFolder Temporary{"inmem-wrapper"};

protected:
  const std::string Dir = Temporary.path().string();
};

constexpr char kNeeded[] = "--no-as-needed", kIfUsed[] = "--as-needed",
               kWhole[] = "--whole-archive";

TEST_F(Wrapper, GivesTheUsersArgumentsInOrderAndNothingElseOfItsOwn) {
  const std::string Lib = Dir + "/lib";
  EXPECT_THAT(given("-c 'a b.cpp' -o x.o"),
              ElementsAre("--driver-mode=g++", "--start-no-unused-arguments",
                          "-fplugin=" + Lib + "/libinmem.so",
                          "-fpass-plugin=" + Lib + "/libinmem.so",
                          "--end-no-unused-arguments", "-c", "a b.cpp", "-o",
                          "x.o", "--start-no-unused-arguments",
                          "-idirafter" + Lib + "/inmem/include",
                          "--end-no-unused-arguments"));
}

TEST_F(Wrapper, NamesVersionsThatThereArePluginsForTheNewestFirst) {
  for (const char *Version : {"9", "22", "7", "19", "16"}) {
    const std::string Folder = Dir + "/lib/inmem/llvm-" + Version;
    std::filesystem::create_directories(Folder);
    std::ofstream Plugin(Folder + "/libinmem.so");
  }
  fake("clang++", 21);
  const Ran R = run("-c a.cpp");
  EXPECT_EQ(R.Code, 2);
  EXPECT_THAT(R.Err, HasSubstr(", or use clang 22, 19, 16, 9 or 7\n"));
}

TEST_F(Wrapper, HandsAProfileOnToThePassThatReadsIt) {
  if (INMEM_LLVM_VERSION < 22)
    GTEST_SKIP() << "LLVM's own use of a profile is not used";
  EXPECT_THAT(given("-fplugin-arg-inmem-optimize=a=b.memprof -c a.cpp"),
              testing::Contains("-fmemory-profile-use=a=b.memprof"));
}

TEST_F(Wrapper, LinksTheRuntimeFirstAndFindsItAtRunTime) {
  const std::string Lib = Dir + "/lib";
  const Words W = given("a.cpp -lm");
  EXPECT_EQ(linked("a.cpp -lm"), kNeeded);
  const auto At = [&](const std::string &Word) {
    return std::find(W.begin(), W.end(), Word) - W.begin();
  };
  EXPECT_LT(At(Lib + "/libinmem_rt.so"), At("a.cpp"));
  EXPECT_LT(At("-lm"), At("-rpath"));
  EXPECT_EQ(W.at(static_cast<size_t>(At("-rpath")) + 2), Lib);
}

TEST_F(Wrapper, LinksNothingWhereNothingIsLinked) {
  for (const char *Line :
       {"-c a.cpp", "a.cpp -S", "-E a.cpp", "-M a.cpp", "-MM a.cpp",
        "-fsyntax-only a.cpp", "--analyze a.cpp", "-r a.o -o b.o",
        "--relocatable a.o", "a.cpp -Xlinker -r", "a.h", "a.hpp", ".h",
        "-x c++-header a", "-xc-header a", "-v", "--version -v", "-o x"})
    EXPECT_EQ(linked(Line), "") << Line;
}

TEST_F(Wrapper, LinksWhereSomethingIs) {
  for (const char *Line :
       {"a.cpp", "a.o", "-", "-lm", "-- a.cpp", "-- -c", "-x c++ a.h",
        "-x none a.cpp", "-nostdlib a.o -lc", "a.cpp -o -c", "a.cpp -I -c",
        "a.cpp -include -S", "-xc++ a.h"})
    EXPECT_EQ(linked(Line), kNeeded) << Line;
}

TEST_F(Wrapper, LinksTheRuntimeOnlyIfUsedWhereItMayBeLeftOut) {
  for (const char *Line :
       {"-shared a.cpp", "--shared a.cpp", "-nostdlib a.cpp",
        "-nodefaultlibs a.cpp", "--no-standard-libraries a.cpp"})
    EXPECT_EQ(linked(Line), kIfUsed) << Line;
}

TEST_F(Wrapper, WrapsTheAllocatorOfAStaticProgram) {
  for (const char *Line :
       {"-static a.cpp", "--static a.cpp", "-static-pie a.cpp"}) {
    EXPECT_EQ(linked(Line), kWhole) << Line;
    const Words W = given(Line);
    EXPECT_THAT(W, Contains("--wrap=malloc")) << Line;
    EXPECT_THAT(W, Contains("_Znwm")) << Line;
    EXPECT_THAT(W, Not(Contains("-rpath"))) << Line;
  }
  EXPECT_THAT(given("a.cpp"), Not(Contains("--wrap=malloc")));
  EXPECT_THAT(given("-static -c a.cpp"), Not(Contains("--wrap=malloc")));
}

TEST_F(Wrapper, GivesOtherTargetsTheHeadersAlone) {
  for (const char *Line :
       {"-m32 a.cpp", "-m16 -c a.cpp", "-mx32 a.cpp",
        "--target=aarch64-linux-gnu a.cpp", "-target wasm32 a.cpp",
        "--target=x86_64-linux-gnux32 a.cpp",
        "--target=x86_64-pc-windows-msvc -c a.cpp"}) {
    EXPECT_FALSE(compilesWithPlugin(Line)) << Line;
    EXPECT_EQ(linked(Line), "") << Line;
    EXPECT_THAT(given(Line),
                Contains("-idirafter" + Dir + "/lib/inmem/include"));
    EXPECT_THAT(given(Line), Not(Contains("-rpath"))) << Line;
  }
  for (const char *Line :
       {"--target=x86_64-linux-gnu a.cpp", "-target x86_64-pc-linux-gnu a.cpp"})
    EXPECT_EQ(linked(Line), kNeeded) << Line;
}

TEST_F(Wrapper, LeavesClangsInnerStagesAndNoArgumentsAlone) {
  EXPECT_THAT(given("-cc1 -emit-obj a.cpp"),
              ElementsAre("--driver-mode=g++", "-cc1", "-emit-obj", "a.cpp"));
  EXPECT_FALSE(compilesWithPlugin("-cc1as a.s"));
  EXPECT_THAT(given(""), ElementsAre("--driver-mode=g++"));
}

TEST_F(Wrapper, PutsWhatItAddsBeforeTheEndOfOptions) {
  const Words W = given("-O2 -- -a.cpp --");
  EXPECT_THAT(std::vector(W.end() - 3, W.end()),
              ElementsAre("--", "-a.cpp", "--"));
  EXPECT_EQ(std::count(W.begin(), W.end(), "-rpath"), 1);
}

TEST_F(Wrapper, LooksIntoResponseFiles) {
  const auto Is = [&](const std::string &Text, const char *Linked) {
    std::ofstream(Dir + "/here/args.rsp") << Text;
    EXPECT_EQ(linked("@args.rsp"), Linked) << Text;
    EXPECT_THAT(given("@args.rsp"), Contains("@args.rsp"));
  };
  Is("a.cpp", kNeeded);
  Is("-c a.cpp", "");
  Is("a.cpp\t-c", "");
  Is("a.cpp\n\"-c\"\n", "");
  Is("  -c\r\n  a.cpp  ", "");
  Is("\"-c a.cpp\" b.cpp", kNeeded); // one word
  Is("'-c a.cpp' b.cpp", kNeeded);
  Is("-o '' a.cpp", kNeeded);
  Is("-o  x", ""); // two blanks are one
  Is("-o\t\n x ", "");
  Is("'' -c", "");
  Is("-\"c\" a.cpp", "");
  Is("\\-c a.cpp", "");
  Is("-c\\ a.cpp b.cpp", kNeeded); // a blank that separates nothing
  Is("'-x\\' -c a.cpp", "");       // within single quotes it is itself
}

TEST_F(Wrapper, LooksIntoResponseFilesOfResponseFiles) {
  std::ofstream(Dir + "/here/outer.rsp") << "a.cpp @inner.rsp";
  std::ofstream(Dir + "/here/inner.rsp") << "-c";
  EXPECT_EQ(linked("@outer.rsp"), "");
  std::ofstream(Dir + "/here/inner.rsp") << "@inner.rsp -O2"; // for ever
  EXPECT_EQ(linked("@outer.rsp"), kNeeded);
}

TEST_F(Wrapper, LooksIntoConfigurationFiles) {
  const auto Is = [&](const std::string &Text, const char *Linked,
                      const std::string &Arguments =
                          "--config=./flags.cfg a.cpp") {
    std::ofstream(Dir + "/here/flags.cfg") << Text;
    EXPECT_EQ(linked(Arguments), Linked) << Text;
  };
  Is("-Wall", kNeeded);
  Is("-c", "");
  Is("-c", "", "--config ./flags.cfg a.cpp");
  Is("-c", "", "a.cpp --config=./flags.cfg");
  Is("-c", kNeeded, "--config=./missing.cfg a.cpp");
  Is("-c", kNeeded, "-- --config=./flags.cfg a.cpp");
  Is("-x c++-header", "");
  Is("-x c++-header", kNeeded, "--config=./flags.cfg -x c++ a.cpp");
  Is("# -c", kNeeded);
  Is("  # -c \\\n", kNeeded);
  Is("-Wall \\\n# -c", ""); // the comment's sign is in a line's middle
  Is("-x \\\r\nc++-header", "");
  Is("$-c $-shared", kNeeded); // only what is for the linker counts there
  Is("$-r", "");
  Is("$-Wl,-x,-r", "");
  Is("$-Xlinker $-r", "");
  Is("$", kNeeded);
  Is("a.cpp", kNeeded, "--config=./flags.cfg");
}

TEST_F(Wrapper, LooksIntoConfigurationFilesOfOthers) {
  std::filesystem::create_directory(Dir + "/here/inner");
  std::ofstream(Dir + "/here/inner/c.cfg") << "-c";
  std::ofstream Outer(Dir + "/here/outer.cfg");
  Outer << "@inner/next.cfg";
  Outer.close();
  const auto Is = [&](const std::string &Text, const char *Linked) {
    std::ofstream(Dir + "/here/inner/next.cfg") << Text;
    EXPECT_EQ(linked("--config=./outer.cfg a.cpp"), Linked) << Text;
  };
  Is("-c", "");
  Is("@c.cfg", "");
  Is("@" + Dir + "/here/inner/c.cfg", "");
  Is("@<CFGDIR>/c.cfg", kNeeded); // <CFGDIR> is relative: the folder, twice
  Is("--config=./c.cfg", "");
  Is("--config=c.cfg", kNeeded);
  Is("--config=./next.cfg", kNeeded); // for ever
}

TEST_F(Wrapper, FindsConfigurationFilesWhereClangDoes) {
  std::filesystem::create_directory(Dir + "/here/mine");
  std::ofstream(Dir + "/here/c.cfg") << "-c";
  EXPECT_EQ(linked("--config=c.cfg a.cpp"), kNeeded);
  std::ofstream(Dir + "/fake/beside.cfg") << "-c";
  EXPECT_EQ(linked("--config=beside.cfg a.cpp"), "");
  std::ofstream(Dir + "/here/mine/c.cfg") << "-c";
  EXPECT_EQ(linked("--config=c.cfg --config-user-dir=mine a.cpp"), "");
  EXPECT_EQ(linked("--config-system-dir=mine --config=c.cfg a.cpp"), "");
}

TEST_F(Wrapper, NeedsTheClangThatItWasBuiltFor) {
  fake("old", INMEM_LLVM_VERSION - 1);
  const std::string Old = Dir + "/fake/old";
  const Ran R = run("-c a.cpp", "INMEM_CLANG=" + Old);
  EXPECT_EQ(R.Code, 2);
  EXPECT_EQ(R.Err, "inmem-clang++: INMEM_CLANG names '" + Old +
                       "', which is clang " +
                       std::to_string(INMEM_LLVM_VERSION - 1) +
                       "; this inmem was built for clang " +
                       std::to_string(INMEM_LLVM_VERSION) + "\n");
  const Ran None = run("-c a.cpp", "INMEM_CLANG=/bin/true");
  EXPECT_EQ(None.Code, 2);
  EXPECT_THAT(None.Err, HasSubstr("which is no clang; this inmem"));
  const Ran Absent = run("-c a.cpp", "INMEM_CLANG=nosuchclang");
  EXPECT_EQ(Absent.Code, 2);
  EXPECT_THAT(Absent.Err, HasSubstr("'nosuchclang', which is not there"));
}

TEST_F(Wrapper, FindsTheClangOfAUserInThePath) {
  fake("my'clang", INMEM_LLVM_VERSION);
  const Ran R = run("-c a.cpp", "PATH=\"/nosuch:" + Dir +
                                    "/fake:$PATH\" INMEM_CLANG=\"my'clang\"");
  EXPECT_EQ(R.Code, 0) << R.Err;
  EXPECT_THAT(R.Out, HasSubstr("-fplugin="));
}

TEST_F(Wrapper, SaysWhatIsMissing) {
  std::filesystem::remove(Dir + "/lib/libinmem.so");
  const Ran R = run("-c a.cpp");
  EXPECT_EQ(R.Code, 2);
  EXPECT_EQ(R.Out, "");
  EXPECT_THAT(R.Err, HasSubstr("libinmem.so is not in the lib folder"));
}

TEST_F(Wrapper, HelpNamesWhatIsAdded) {
  const Ran R = run("--inmem-help");
  EXPECT_EQ(R.Code, 0);
  EXPECT_EQ(R.Err, "");
  const std::string Lib = Dir + "/lib";
  for (const std::string &Part :
       {"becomes:            " + Dir + "/fake/clang++\n",
        "compiling adds:     -fplugin=" + Lib + "/libinmem.so -fpass-plugin=" +
            Lib + "/libinmem.so -idirafter" + Lib + "/inmem/include\n",
        "linking adds:       " + Lib + "/libinmem_rt.so as the first",
        "-static:     " + Lib + "/libinmem_rt.a and --wrap",
        "CCACHE_EXTRAFILES=" + Lib + "/libinmem.so lets"})
    EXPECT_THAT(R.Out, HasSubstr(Part));
  EXPECT_THAT(given("-c a.cpp"), Not(IsEmpty()));
}

} // namespace
