//===- ToolTest.cpp - The `inmem` command from outside --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exit codes, messages and files, by running the program that was built.
//
//===----------------------------------------------------------------------===//
#include "support/SampleTrace.h"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

using namespace inmem;
using namespace inmem::test;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace {

struct Ran {
  int Code;
  std::string Out, Err;
};

class Tool : public testing::Test {
protected:
  Tool() {
    std::string Pattern = testing::TempDir() + "inmem-tool-XXXXXX";
    Dir = mkdtemp(Pattern.data());
    write("sample.inmem", assembled(kSample));
  }
  ~Tool() override { std::filesystem::remove_all(Dir); }

  void write(const std::string &Name, const std::vector<std::byte> &Bytes) {
    std::ofstream(Dir + "/" + Name, std::ios::binary)
        .write(reinterpret_cast<const char *>(Bytes.data()),
               static_cast<std::streamsize>(Bytes.size()));
  }
  static std::string slurp(const std::string &Path) {
    std::ifstream In(Path, std::ios::binary);
    return {std::istreambuf_iterator<char>(In), {}};
  }
  /// Runs `inmem Arguments` in the directory, through the shell.
  Ran inmem(const std::string &Arguments) {
    const std::string Line = "cd '" + Dir +
                             "' && LC_ALL=C.UTF-8 " INMEM_TOOL " " + Arguments +
                             " >out 2>err </dev/null";
    const int Status = std::system(Line.c_str());
    return {WEXITSTATUS(Status), slurp(Dir + "/out"), slurp(Dir + "/err")};
  }

  std::string Dir;
};

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
       {"", "nonsense", "report", "report --nonsense sample.inmem",
        "report --by colour sample.inmem", "report --sort x sample.inmem",
        "report --format xml sample.inmem", "report --buckets 5x sample.inmem",
        "report --top x sample.inmem", "report --color maybe sample.inmem",
        "report --min-bytes many sample.inmem", "merge sample.inmem", "run",
        "diff sample.inmem"}) {
    const Ran R = inmem(Wrong);
    EXPECT_EQ(R.Code, 2) << Wrong;
    EXPECT_THAT(R.Err, StartsWith("inmem: ")) << Wrong;
    EXPECT_EQ(R.Out, "") << Wrong;
  }
  EXPECT_THAT(inmem("report --sort x sample.inmem").Err,
              HasSubstr("bytes, count, live"));
}

TEST_F(Tool, AnUnreadableInputIsThreeWithItsPlace) {
  const Ran Missing = inmem("report nosuch.inmem");
  EXPECT_EQ(Missing.Code, 3);
  EXPECT_EQ(Missing.Err,
            "inmem: nosuch.inmem: cannot open: No such file or directory\n");
  std::ofstream(Dir + "/text") << "hello, world";
  const Ran Other = inmem("report text");
  EXPECT_EQ(Other.Code, 3);
  EXPECT_THAT(Other.Err, HasSubstr("text: at byte 0: magic of a trace: "
                                   "expected"));
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
  // The pipe is full long before the end; then the file is cut.
  const std::string Command =
      "cd " + Dir +
      " && { " INMEM_TOOL " dump --events long.inmem 2>err; echo $? >code; }"
      " | { head -c 1 >/dev/null; sleep 0.2;"
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
  // What is to be said of many is said once.
  for (const char *Name : {"a.inmem", "b.inmem", "c.inmem"})
    write(Name, Bytes);
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
  EXPECT_EQ(inmem("report -o /nonexistent/x sample.inmem").Code, 3);
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
  EXPECT_EQ(inmem("dump --assemble -o b.inmem a.txt").Code, 0);
  EXPECT_EQ(slurp(Dir + "/b.inmem"), slurp(Dir + "/sample.inmem"));
  EXPECT_THAT(inmem("dump --types sample.inmem").Out, HasSubstr("Foo * next"));
  EXPECT_EQ(inmem("dump --assemble a.txt").Code, 2);
  EXPECT_EQ(inmem("dump --assemble -o c.inmem err").Code, 3);
}

TEST_F(Tool, MergedTracesReportTheSumOfTheirs) {
  EXPECT_EQ(inmem("merge -o m.inmem sample.inmem sample.inmem").Code, 0);
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
  EXPECT_THAT(R.Err, HasSubstr("findings of the reader"));
}

/// A process that holds a trace open, as one that runs with inmem does.
class Ctl : public Tool {
protected:
  /// A trace whose header names a process, with three orders of room.
  std::string traceOf(pid_t Pid, const std::string &Header = "") {
    return "header state=running pid=" + std::to_string(Pid) +
           " live-bytes=16 peak-live-bytes=24 " + Header +
           "\nextent meta\n process \"./app\" \"-v\"\n"
           " thread index=1 tid=70 name=\"main\"\n"
           " type index=1 id=1 size=8 name=\"A\"\n"
           " site id=1 type=1 key=1 kind=new function=\"f\"\n"
           "extent rows owner=1\n"
           " row site=1 type=1 allocations=7 bytes=56 frees=5 "
           "freed-bytes=40\n";
  }
  /// Starts `sleep` with the file open; it is written when the pid is known.
  pid_t holding(const std::string &Name) {
    const std::string Path = Dir + "/" + Name;
    std::ofstream(Path, std::ios::app).flush();
    const pid_t Child = fork();
    if (Child == 0) {
      const int Fd = open(Path.c_str(), O_RDWR);
      if (Fd >= 0)
        execlp("sleep", "sleep", "600", nullptr);
      _exit(1);
    }
    // The file is open as soon as it is sleep that runs.
    for (int I = 0; I < 2000; ++I) {
      if (slurp("/proc/" + std::to_string(Child) + "/comm") == "sleep\n")
        break;
      usleep(1000);
    }
    Children.push_back(Child);
    return Child;
  }
  Ran ctl(pid_t Pid, const std::string &What) {
    return inmem("ctl " + std::to_string(Pid) + " " + What);
  }
  ~Ctl() override {
    for (const pid_t Child : Children) {
      kill(Child, SIGKILL);
      waitpid(Child, nullptr, 0);
    }
  }
  std::vector<pid_t> Children;
};

TEST_F(Ctl, StatusIsThatOfTheProcess) {
  const pid_t Pid = holding("a.inmem");
  write("a.inmem", assembled(traceOf(Pid)));
  const Ran R = ctl(Pid, "status --format json");
  ASSERT_EQ(R.Code, 0) << R.Err;
  const auto J = nlohmann::json::parse(R.Out);
  EXPECT_EQ(J["pid"], Pid);
  EXPECT_EQ(J["command"], "./app -v");
  EXPECT_EQ(J["trace"], Dir + "/a.inmem");
  EXPECT_EQ(J["allocations"], 7);
  EXPECT_EQ(J["allocated_bytes"], 56);
  EXPECT_EQ(J["frees"], 5);
  EXPECT_EQ(J["freed_bytes"], 40);
  EXPECT_EQ(J["live_bytes"], 16);
  EXPECT_EQ(J["peak_live_bytes"], 24);
  EXPECT_EQ(J["threads"], 1);
  EXPECT_EQ(J["events"], false);
  EXPECT_EQ(J["phase"], nullptr);
  const std::string Text = ctl(Pid, "status").Out;
  for (const char *Part :
       {"./app -v", "56 B in 7", "40 B in 5", "16 B, peak 24 B"})
    EXPECT_THAT(Text, HasSubstr(Part));
}

TEST_F(Ctl, ATraceOfAnotherProcessIsNotShown) {
  const pid_t Pid = holding("a.inmem");
  write("a.inmem", assembled(traceOf(getpid())));
  const Ran R = ctl(Pid, "status");
  EXPECT_EQ(R.Code, 3);
  EXPECT_EQ(R.Out, "");
  EXPECT_THAT(R.Err, HasSubstr("does not run with inmem"));
}

TEST_F(Ctl, ATraceThatHasEndedOrHasAnotherVersionIsNotShown) {
  const pid_t Pid = holding("a.inmem");
  auto Bytes = assembled(traceOf(Pid, "state=complete"));
  write("a.inmem", Bytes);
  EXPECT_EQ(ctl(Pid, "status").Code, 3);
  Bytes = assembled(traceOf(Pid));
  Bytes[offsetof(trace::FileHeader, Version)] = std::byte{77};
  write("a.inmem", Bytes);
  const Ran R = ctl(Pid, "status");
  EXPECT_EQ(R.Code, 3);
  EXPECT_THAT(R.Err, HasSubstr("is of version 77, expected " +
                               std::to_string(trace::kVersion)));
}

TEST_F(Ctl, OrdersWaitForAProcessThatIsIdle) {
  const pid_t Pid = holding("a.inmem");
  auto Bytes = assembled(traceOf(Pid));
  Bytes[offsetof(trace::FileHeader, Orders) +
        offsetof(trace::OrderQueue, Recording)] = std::byte{1};
  write("a.inmem", Bytes);
  const auto Status = [&] {
    return nlohmann::json::parse(ctl(Pid, "status --format json").Out);
  };
  EXPECT_EQ(Status()["recording"], true);
  EXPECT_EQ(ctl(Pid, "stop").Out,
            "process " + std::to_string(Pid) +
                ": does not record any more (it is idle: before its next "
                "event)\n");
  EXPECT_EQ(Status()["recording"], false);
  EXPECT_EQ(Status()["orders_waiting"], 1);
  EXPECT_EQ(ctl(Pid, "start").Code, 0);
  EXPECT_EQ(Status()["recording"], true);
  EXPECT_EQ(Status()["orders_waiting"], 2);
  EXPECT_THAT(ctl(Pid, "status").Out, HasSubstr("2 to obey"));
  EXPECT_THAT(ctl(Pid, "snapshot half").Out, HasSubstr("snapshot taken"));
  EXPECT_THAT(ctl(Pid, "flush").Out, HasSubstr("is on disk"));
}

TEST_F(Ctl, WrongUsageIsTwo) {
  const std::string Own = std::to_string(getpid());
  for (const std::string Wrong :
       {"ctl", "ctl 1", "ctl x status", "ctl 1 explode",
        "ctl 1 status --format xml", "ctl 1 stop name"})
    EXPECT_EQ(inmem(Wrong).Code, 2) << Wrong;
  EXPECT_EQ(inmem("ctl 0 status").Code, 3);
  EXPECT_THAT(inmem("ctl 0 status").Err, HasSubstr("there is no process 0"));
  EXPECT_EQ(inmem("ctl " + Own + " status").Code, 3);
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

TEST_F(Run, AMissingRuntimeIsThree) {
  const Ran R = inmem("run --runtime /nonexistent.so -- true");
  EXPECT_EQ(R.Code, 3);
  EXPECT_THAT(R.Err, HasSubstr("/nonexistent.so: cannot read the runtime"));
}

} // namespace
