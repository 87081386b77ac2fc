//===- ToolTest.cpp - The `inmem` command from outside --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exit codes, messages and files, by running the program that was built.
//
//===----------------------------------------------------------------------===//
#include "ToolFixture.h"

#include <algorithm>

using namespace inmem;
using namespace inmem::test;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace {

TEST_F(Tool, HelpAndVersionSucceedAndShowExamples) {
  EXPECT_THAT(inmem("--version").Out, StartsWith("inmem "));
  EXPECT_THAT(inmem("--help").Out, HasSubstr("Examples:"));
  for (const char *Command :
       {"run", "report", "diff", "check", "export", "merge", "dump"}) {
    const Ran R = inmem(std::string(Command) + " --help");
    EXPECT_EQ(R.Code, 0) << Command;
    EXPECT_THAT(R.Out, HasSubstr("Examples:")) << Command;
    EXPECT_THAT(R.Out, HasSubstr("inmem " + std::string(Command))) << Command;
  }
}

TEST_F(Tool, WrongUsageIsTwoAndSaysWhatIsValid) {
  for (const char *Wrong :
       {"", "nonsense", "report --nonsense sample.inmem",
        "report --by colour sample.inmem", "report --sort x sample.inmem",
        "report --format xml sample.inmem", "report --buckets 5x sample.inmem",
        "report --top x sample.inmem", "report --color maybe sample.inmem",
        "report --top -1 sample.inmem", "report --top=-5 sample.inmem",
        "report --details -3 sample.inmem", "diff --top -1 a b",
        "report --min-bytes many sample.inmem", "merge sample.inmem", "run",
        "diff sample.inmem"}) {
    const Ran R = inmem(Wrong);
    EXPECT_EQ(R.Code, 2) << Wrong;
    EXPECT_THAT(R.Err, StartsWith("inmem: ")) << Wrong;
    EXPECT_EQ(R.Out, "") << Wrong;
  }
  EXPECT_THAT(inmem("report --sort x sample.inmem").Err,
              HasSubstr("bytes, count, blocks, live"));
  EXPECT_THAT(inmem("repot sample.inmem").Err,
              StartsWith("inmem: no subcommand 'repot'; did you mean "
                         "'report'?\n"));
  EXPECT_THAT(inmem("").Err, Not(HasSubstr("no subcommand")));
}

TEST_F(Tool, EachMistakeHasOurOwnWords) {
  for (const auto &[Line, Said] : {
           std::pair("colour", "no subcommand 'colour'\n"),
           std::pair("--tpo", "expected a subcommand, found the option"),
           std::pair("report --tpo 3 a", "report: no option '--tpo'; did you "
                                         "mean '--top'?\n"),
           std::pair("report --formt=json a", "report: no option '--formt'; "
                                              "did you mean '--format'?\n"),
           std::pair("report --zzzzzz a", "report: no option '--zzzzzz'\n"),
           std::pair("report --top", "--top: expected N, found nothing\n"),
           std::pair("report --top 1 --top 2 a", "--top: given 2 times\n"),
           std::pair("report --details sample.inmem",
                     "--details: expected a number, 0 or more, found the file "
                     "'sample.inmem'\n"),
           std::pair("merge a", "merge: expected --output OUT\n"),
           std::pair("merge", "merge: expected FILE\n"),
           std::pair("diff a b c", "diff: expected OLD NEW, found 3 "
                                   "arguments\n"),
           std::pair("top 1 2", "top: '2' is one argument too many\n"),
           std::pair("ctl x status", "PID: expected a number, 0 or more, found "
                                     "'x'\n"),
           std::pair("top --interval x 1", "--interval: expected a number, "
                                           "found 'x'\n"),
           std::pair("diff --color nevr a b",
                     "--color: expected auto, always or never, found 'nevr'; "
                     "did you mean 'never'?\n"),
       }) {
    const Ran R = inmem(Line);
    EXPECT_EQ(R.Code, 2) << Line;
    EXPECT_THAT(R.Err, StartsWith(std::string("inmem: ") + Said)) << Line;
  }
}

TEST_F(Tool, HelpIsAlsoASubcommand) {
  EXPECT_EQ(inmem("help").Out, inmem("--help").Out);
  EXPECT_EQ(inmem("help").Code, 0);
  EXPECT_EQ(inmem("help diff").Out, inmem("diff --help").Out);
  EXPECT_THAT(inmem("").Err, HasSubstr(inmem("--help").Out));
  EXPECT_EQ(inmem("help nonsense").Code, 2);
}

TEST_F(Tool, SizesAndEdgesAreWrittenOut) {
  for (const auto &[Line, Found] : {
           std::pair("--min-bytes 1e3", "'1e3'"),
           std::pair("--buckets ''", "nothing"),
           std::pair("--buckets 5s,1s", "'1s' after a larger one"),
           std::pair("--buckets 1k,64,2k", "'64' after a larger one"),
       }) {
    const Ran R = inmem(std::string("report sample.inmem ") + Line);
    EXPECT_EQ(R.Code, 2) << Line;
    EXPECT_THAT(R.Err, HasSubstr(std::string("found ") + Found + "\n"));
    EXPECT_EQ(std::ranges::count(R.Err, '\n'), 1) << Line;
  }
  EXPECT_EQ(inmem("report sample.inmem --buckets 1s,5s").Code, 0);
}

TEST_F(Tool, AReportOfNothingIsOfTheNewestTrace) {
  EXPECT_THAT(inmem("report").Err, HasSubstr("inmem: the newest trace here: "));
  EXPECT_EQ(inmem("report").Code, 0);
  std::filesystem::remove(Dir + "/sample.inmem");
  EXPECT_EQ(inmem("report --format json").Out,
            inmem("report --format json other.inmem").Out);
  EXPECT_EQ(inmem("report -o other.inmem").Code, 2);
  std::filesystem::remove(Dir + "/other.inmem");
  const Ran R = inmem("report");
  EXPECT_EQ(R.Code, 2);
  EXPECT_THAT(R.Err, HasSubstr("there is no *.inmem in this folder"));
}

TEST_F(Tool, AReportOfSeveralRunsOrWithoutTypesSaysSo) {
  const auto Trace = [](const char *Pid, const char *Start, const char *Type) {
    return assembled(std::string("header pid=") + Pid + " start-unix-ns=" +
                     Start + "\nextent meta\n process \"./app\"\n" + Type +
                     " site id=1 key=1 kind=new function=\"f\"\n"
                     "extent rows owner=1\n"
                     " row site=1 allocations=7 bytes=56\n");
  };
  write("a.inmem", Trace("1", "1000", ""));
  write("b.inmem", Trace("2", "9000000000", ""));
  write("c.inmem",
        Trace("1", "1000", " type index=1 id=1 size=8 name=\"A\"\n"));
  EXPECT_THAT(inmem("report a.inmem b.inmem").Out,
              HasSubstr("note: 2 runs are added up"));
  EXPECT_THAT(
      inmem("report a.inmem").Out,
      HasSubstr("note: no type is known: the program was not compiled"));
  EXPECT_THAT(inmem("report c.inmem").Out, Not(HasSubstr("note:")));
  EXPECT_EQ(inmem("report c.inmem").Err, "");
  EXPECT_EQ(inmem("report --format json a.inmem b.inmem").Err, "");
}

TEST_F(Tool, SamplesThatAreNotThereAreTwo) {
  const Ran R = inmem("report --by cpu sample.inmem");
  EXPECT_EQ(R.Code, 2);
  EXPECT_THAT(R.Err, HasSubstr("--by cpu: the trace has no samples"));
}

TEST_F(Tool, ADamagedTraceIsOneLineWhateverTheCommand) {
  auto Bytes = assembled(kSample);
  Bytes[4096 + 4096 + 1] = std::byte{1}; // magic of the second extent
  write("bad.inmem", Bytes);
  for (const char *Line :
       {"top --once bad.inmem", "html -o out.html bad.inmem",
        "merge -o out.inmem bad.inmem bad.inmem",
        "optimize -o o.yaml bad.inmem", "report bad.inmem", "dump bad.inmem",
        "export --format pprof -o o bad.inmem", "diff bad.inmem sample.inmem",
        "doctor bad.inmem"}) {
    const Ran R = inmem(Line);
    EXPECT_EQ(R.Code, 3) << Line;
    EXPECT_THAT(R.Err, HasSubstr("bad.inmem: at byte 8192")) << Line;
    EXPECT_EQ(std::ranges::count(R.Err, '\n'), 1) << Line << R.Err;
  }
}

TEST_F(Tool, WhatIsNotATraceIsCalledByItsKind) {
  std::ofstream(Dir + "/a.cpp") << "int main() {}\n";
  EXPECT_EQ(inmem("report a.cpp").Err,
            "inmem: a.cpp: not an inmem trace, but a text file; a run of a "
            "program leaves one, inmem.PID.inmem\n");
  EXPECT_THAT(inmem("html -o out /proc/self/exe").Err,
              HasSubstr("not an inmem trace, but a program or a library"));
}

TEST_F(Tool, AnUnreadableInputIsThreeWithItsLocation) {
  const Ran Missing = inmem("report nosuch.inmem");
  EXPECT_EQ(Missing.Code, 3);
  EXPECT_EQ(Missing.Err,
            "inmem: nosuch.inmem: cannot open: No such file or directory\n");
  std::ofstream(Dir + "/text") << "hello, world";
  const Ran Other = inmem("report text");
  EXPECT_EQ(Other.Code, 3);
  EXPECT_THAT(Other.Err,
              HasSubstr("text: not an inmem trace, but a text file"));
  EXPECT_EQ(inmem("dump text").Code, 3);
  EXPECT_EQ(inmem("report .").Code, 3);
}

TEST_F(Tool, DamageIsThreeButTheRestIsStillShown) {
  auto Bytes = assembled(kSample);
  Bytes[4096 + 4096 + 1] = std::byte{1}; // magic of the second extent
  write("bad.inmem", Bytes);
  const Ran R = inmem("report bad.inmem");
  EXPECT_EQ(R.Code, 3);
  EXPECT_THAT(R.Err, HasSubstr("bad.inmem: at byte 8192: header of an extent"));
  EXPECT_THAT(R.Out, HasSubstr("damaged"));
}

TEST_F(Tool, AFileThatShrinksWhileItIsReadIsOneLine) {
  std::string Text = "header\nextent events owner=1\n";
  for (int I = 0; I < 20000; ++I)
    Text += " event allocate site=1 size=" + std::to_string(I) + " time=1\n";
  write("long.inmem", assembled(Text));
  // A pipe holds a part of the text: the file is cut before the rest is read.
  const std::string Command =
      "cd " + Dir +
      " && { " INMEM_TOOL_WORD
      " dump --events long.inmem 2>err; echo $? >code; }"
      " | { head -c 1 >/dev/null;"
      " truncate -s 4096 long.inmem; cat >/dev/null; }";
  ASSERT_EQ(std::system(Command.c_str()), 0);
  EXPECT_EQ(slurp(Dir + "/code"), "3\n");
  EXPECT_EQ(slurp(Dir + "/err"),
            "inmem: an input file became shorter while it was read\n");
}

TEST_F(Tool, ANameCannotReachTheTerminal) {
  write("evil.inmem",
        assembled("header\nextent meta\n"
                  " process \"./a\\x1b]0;title\\x07\"\n"
                  " type index=1 id=1 size=8 name=\"A\\x1b[2J\"\n"
                  "  field name=\"f\\x1b[1m\" type-name=\"int\\x9b\"\n"
                  " site id=1 type=1 key=1 kind=new function=\"g\\x1b\" "
                  "file=\"a\\x1b.cc\" line=1\n"
                  " note kind=warning text=\"n\\x1b\"\n"
                  "extent rows owner=1\n"
                  " row site=1 type=1 allocations=1 bytes=8\n"));
  for (const char *Command :
       {"report", "report --by site", "report --by thread", "dump",
        "dump --types", "report --diagnostics", "diff evil.inmem"}) {
    const Ran R = inmem(std::string(Command) + " evil.inmem");
    EXPECT_EQ(R.Code, 0) << Command << R.Err;
    EXPECT_THAT(R.Out + R.Err, Not(HasSubstr("\x1b"))) << Command;
    EXPECT_THAT(R.Out + R.Err, Not(HasSubstr("\x07"))) << Command;
  }
}

TEST_F(Tool, ACutTraceIsDoneWithANote) {
  auto Bytes = assembled(kSample);
  Bytes.resize(4096 + 4096 + 64 + 320);
  write("cut.inmem", Bytes);
  const Ran R = inmem("report cut.inmem");
  EXPECT_EQ(R.Code, 0) << R.Err;
  EXPECT_THAT(R.Out, HasSubstr("cut short"));
  const Ran Json = inmem("report --format json cut.inmem");
  EXPECT_EQ(nlohmann::json::parse(Json.Out)["processes"][0]["complete"], false);
  // A notice about many traces is printed once.
  for (const std::string Name : {"a", "b", "c"}) {
    std::string Text = kSample;
    Text.replace(Text.find("pid=7"), 5, "pid=7" + std::to_string(Name[0]));
    auto Other = assembled(Text);
    Other.resize(Bytes.size());
    write(Name + ".inmem", Other);
  }
  const Ran Four =
      inmem("report --format json cut.inmem a.inmem b.inmem c.inmem");
  const auto Notes = nlohmann::json::parse(Four.Out)["notes"];
  ASSERT_EQ(Notes.size(), 1u) << Notes;
  EXPECT_THAT(Notes[0].get<std::string>(),
              testing::ContainsRegex("cut.inmem \\(pid [0-9]+\\), a.inmem .*, "
                                     "b.inmem .* and 1 more: .*cut short"));
}

TEST_F(Tool, WritesWhereItIsTold) {
  EXPECT_EQ(inmem("report --format json -o r.json sample.inmem").Out, "");
  EXPECT_EQ(nlohmann::json::parse(slurp(Dir + "/r.json"))["schema"],
            "inmem-report/1");
  EXPECT_EQ(inmem("report -o /nonexistent/x sample.inmem").Code, 4);
}

TEST_F(Tool, ColourNeedsATerminalOrToBeAskedFor) {
  EXPECT_THAT(inmem("report sample.inmem").Out, Not(HasSubstr("\x1b")));
  EXPECT_THAT(inmem("report --color always sample.inmem").Out,
              HasSubstr("\x1b"));
}

TEST_F(Tool, BucketsShowBytesAndBlocksAndWhatIsLive) {
  const Ran R = inmem("report --buckets 15ns,1us sample.inmem");
  EXPECT_EQ(R.Code, 0) << R.Err;
  EXPECT_THAT(R.Out, HasSubstr("< 15 ns"));
  EXPECT_THAT(R.Out, HasSubstr("64 B:3")); // Foo below 15 ns
  EXPECT_THAT(R.Out, HasSubstr("all types"));
}

TEST_F(Tool, DumpAssemblesAgain) {
  EXPECT_EQ(inmem("dump --events sample.inmem -o a.txt").Code, 0);
  write("b.inmem", assembled(slurp(Dir + "/a.txt")));
  EXPECT_EQ(slurp(Dir + "/b.inmem"), slurp(Dir + "/sample.inmem"));
  EXPECT_THAT(inmem("dump --types sample.inmem").Out, HasSubstr("Foo * next"));
  EXPECT_EQ(inmem("dump --assemble -o c.inmem a.txt").Code, 2);
}

TEST_F(Tool, MergedTracesReportTheSumOfTheirs) {
  EXPECT_EQ(inmem("merge -o m.inmem sample.inmem other.inmem").Code, 0);
  const auto Of = [&](const char *File) {
    return nlohmann::json::parse(
        inmem(std::string("report --format json ") + File).Out);
  };
  const auto One = Of("sample.inmem"), Two = Of("m.inmem");
  EXPECT_EQ(Two["processes"].size(), 2u);
  EXPECT_EQ(Two["totals"]["allocations"].get<int>(),
            2 * One["totals"]["allocations"].get<int>());
  EXPECT_EQ(inmem("merge -o sample.inmem sample.inmem").Code, 2);
}

TEST_F(Tool, DiffOfTheSameIsEmpty) {
  const Ran R = inmem("diff --format json sample.inmem sample.inmem");
  EXPECT_EQ(R.Code, 0);
  EXPECT_TRUE(nlohmann::json::parse(R.Out)["types"].empty());
  EXPECT_EQ(inmem("diff sample.inmem sample.inmem").Code, 0);
}

TEST_F(Tool, DiffTakesSetsAndFolders) {
  std::filesystem::create_directory(Dir + "/runs");
  write("runs/a.inmem", assembled(kSample));
  write("runs/b.inmem", assembled(kSample));
  const Ran Folder = inmem("diff --format json sample.inmem runs");
  ASSERT_EQ(Folder.Code, 0) << Folder.Err;
  EXPECT_EQ(nlohmann::json::parse(Folder.Out)["runs"]["new"], 2);
  const Ran Lists = inmem("diff --format json --old sample.inmem sample.inmem "
                          "sample.inmem --new runs/a.inmem");
  ASSERT_EQ(Lists.Code, 0) << Lists.Err;
  EXPECT_EQ(nlohmann::json::parse(Lists.Out)["runs"]["old"], 3);
  EXPECT_EQ(inmem("diff --old sample.inmem").Code, 2);
  std::filesystem::create_directory(Dir + "/empty");
  EXPECT_THAT(inmem("diff sample.inmem empty").Err, HasSubstr("no *.inmem"));
}

TEST_F(Tool, DiagnosticsGoToStandardError) {
  const Ran R = inmem("report --diagnostics sample.inmem");
  EXPECT_EQ(R.Code, 0);
  EXPECT_THAT(R.Err, HasSubstr("diagnostics of the reader"));
}

/// `run` against a runtime that does nothing: only the frame is tested here,
/// recording in lit-tests/.
class Run : public Tool {
protected:
  Ran run(const std::string &Arguments) {
    return inmem("run --runtime /lib/x86_64-linux-gnu/libm.so.6 " + Arguments);
  }
  void SetUp() override {
    if (!std::filesystem::exists("/lib/x86_64-linux-gnu/libm.so.6"))
      GTEST_SKIP() << "needs a library to preload";
  }
};

TEST_F(Run, PassesTheExitCodeAndOutputOn) {
  const Ran R = run("-- sh -c 'echo hello; echo there >&2; exit 42'");
  EXPECT_EQ(R.Code, 42);
  EXPECT_EQ(R.Out, "hello\n");
  EXPECT_THAT(R.Err, StartsWith("there\n"));
  EXPECT_THAT(R.Err, HasSubstr("no trace"));
}

TEST_F(Run, OptionsOfTheProgramAreItsOwn) {
  EXPECT_EQ(run("-- sh -c 'echo \"$@\"' x --by --help -o").Out,
            "--by --help -o\n");
}

TEST_F(Run, ASignalIsReportedAsAShellWould) {
  const Ran R = run("-- sh -c 'kill -9 $$'");
  EXPECT_EQ(R.Code, 137);
  EXPECT_THAT(R.Err, HasSubstr("ended by signal 9"));
}

TEST_F(Run, AProgramThatIsNotThereIs127) {
  const Ran R = run("-- ./nosuch");
  EXPECT_EQ(R.Code, 127);
  EXPECT_EQ(R.Err, "inmem: cannot run ./nosuch: No such file or directory\n");
}

TEST_F(Run, KeepsAnotherPreloadAndItsOptions) {
  const Ran R = inmem("run --runtime /lib/x86_64-linux-gnu/libm.so.6 --options "
                      "clock=exact -- sh -c 'echo $LD_PRELOAD $INMEM_OPTIONS'");
  EXPECT_THAT(R.Out, StartsWith("/lib/x86_64-linux-gnu/libm.so.6"));
  EXPECT_THAT(R.Out, HasSubstr("clock=exact:output=/"));
}

// The loader splits what it preloads at blanks and colons.
TEST_F(Run, PreloadsARuntimeWhosePathHasABlank) {
  std::filesystem::create_directory(Dir + "/a b:c");
  std::filesystem::create_symlink("/lib/x86_64-linux-gnu/libm.so.6",
                                  Dir + "/a b:c/m.so");
  const Ran R = inmem("run --runtime '" + Dir +
                      "/a b:c/m.so' -- sh -c 'cat /proc/self/maps'");
  EXPECT_THAT(R.Out, HasSubstr("/libm.so.6"));
  EXPECT_EQ(R.Err.find("preload"), std::string::npos) << R.Err;
}

TEST_F(Run, AMissingRuntimeIsThree) {
  const Ran R = inmem("run --runtime /nonexistent.so -- true");
  EXPECT_EQ(R.Code, 3);
  EXPECT_THAT(R.Err, HasSubstr("/nonexistent.so: cannot read the runtime"));
}

TEST_F(Run, TracesOfSeveralProcessesGetNamesOfTheirOwn) {
  std::filesystem::create_directory(Dir + "/of.d");
  // Traces that the runtime would leave behind in two processes.
  const std::string Program =
      "-- sh -c 'to=${INMEM_OPTIONS##*output=}; to=${to%%%p.inmem}; "
      "cp sample.inmem ${to}11.inmem; cp sample.inmem ${to}12.inmem'";
  for (const auto &[Keep, First, Second] :
       {std::tuple("of.d/kept", "of.d/kept.11", "of.d/kept.12"),
        std::tuple("of.d/a.inmem", "of.d/a.11.inmem", "of.d/a.12.inmem"),
        std::tuple("of.d/.b", "of.d/.b.11", "of.d/.b.12"),
        std::tuple("c-%p-%p", "c-11-11", "c-12-12")}) {
    const Ran R = run("--trace " + std::string(Keep) + " " + Program);
    EXPECT_EQ(R.Code, 0) << R.Err;
    for (const std::string Name : {First, Second}) {
      EXPECT_EQ(slurp(Dir + "/" + Name), slurp(Dir + "/sample.inmem")) << Name;
      EXPECT_THAT(R.Err, HasSubstr("trace written to " + Name + "\n"));
    }
  }
}

TEST_F(Run, LeavesNoTemporaryFilesBehind) {
  std::filesystem::create_directory(Dir + "/tmp");
  setenv("TMPDIR", (Dir + "/tmp").c_str(), 1);
  EXPECT_EQ(run("-- true").Code, 0);
  unsetenv("TMPDIR");
  EXPECT_TRUE(std::filesystem::is_empty(Dir + "/tmp"));
}

TEST_F(Run, FindsTheRuntimeBesideItselfInAnyLibFolder) {
  std::filesystem::create_directory(Dir + "/bin");
  std::filesystem::copy(INMEM_TOOL, Dir + "/bin/inmem");
  const auto Preloaded = [&] {
    std::system(("cd '" + Dir +
                 "' && bin/inmem run -- sh -c "
                 "'echo $LD_PRELOAD' >out 2>err </dev/null")
                    .c_str());
    return slurp(Dir + "/out") + slurp(Dir + "/err");
  };
  EXPECT_THAT(Preloaded(), HasSubstr(Dir + "/lib/libinmem_rt.so: cannot read"));
  for (const std::string Folder : {"lib/x86_64-linux-gnu", "lib64", "lib"}) {
    std::filesystem::create_directories(Dir + "/" + Folder);
    const std::string File = Dir + "/" + Folder + "/libinmem_rt.so";
    std::filesystem::copy("/lib/x86_64-linux-gnu/libm.so.6", File);
    EXPECT_THAT(Preloaded(), StartsWith(File + "\n"));
  }
}

} // namespace
