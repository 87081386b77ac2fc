//===- LiveTest.cpp - `inmem ctl` and `inmem top` on running processes ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ToolFixture.h"

#include <cstring>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

using namespace inmem;
using namespace inmem::test;
using testing::HasSubstr;

namespace {

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
  Bytes[offsetof(trace::FileHeader, Commands) +
        offsetof(trace::CommandQueue, Recording)] = std::byte{1};
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
  EXPECT_THAT(
      ctl(Pid, "snapshot").Out,
      HasSubstr("that of the heap will be taken before its next event"));
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

/// A process that maps a trace, or holds it open, without another program.
class Mapped : public Ctl {
protected:
  template <class Hold> pid_t holdingBy(Hold Act) {
    int Ready[2];
    EXPECT_EQ(pipe(Ready), 0);
    const pid_t Child = fork();
    if (Child == 0) {
      if (Act())
        (void)!::write(Ready[1], "x", 1);
      for (;;)
        pause();
    }
    close(Ready[1]);
    char Byte = 0;
    EXPECT_EQ(read(Ready[0], &Byte, 1), 1);
    close(Ready[0]);
    Children.push_back(Child);
    return Child;
  }
};

TEST_F(Mapped, ATraceThatIsOnlyMappedIsFoundWhateverItsName) {
  const std::string Name = Dir + "/two\nlines.inmem";
  std::ofstream(Name).flush();
  ASSERT_EQ(truncate(Name.c_str(), 4096), 0);
  const pid_t Pid = holdingBy([&] {
    const int Fd = open(Name.c_str(), O_RDWR);
    void *At = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, Fd, 0);
    return At != MAP_FAILED && close(Fd) == 0;
  });
  write("two\nlines.inmem", assembled(traceOf(Pid)));
  const Ran R = ctl(Pid, "status --format json");
  ASSERT_EQ(R.Code, 0) << R.Err;
  EXPECT_EQ(nlohmann::json::parse(R.Out)["trace"], Name);
}

TEST_F(Mapped, ATraceThatGotItsNameLaterIsShownByIt) {
  std::filesystem::create_directory(Dir + "/of");
  // Others come before and after it, however a folder is listed.
  const auto AddOthers = [&](const std::string &Name) {
    for (int I = 0; I < 10; ++I)
      std::ofstream(Dir + "/of/" + Name + std::to_string(I)) << "another file";
  };
  AddOthers("early");
  const int Fd = open((Dir + "/of").c_str(), O_TMPFILE | O_RDWR, 0600);
  if (Fd < 0)
    GTEST_SKIP() << "this file system makes no file without a name";
  const pid_t Pid = holdingBy([] { return true; });
  const auto Bytes = assembled(traceOf(Pid));
  ASSERT_EQ(pwrite(Fd, Bytes.data(), Bytes.size(), 0),
            static_cast<ssize_t>(Bytes.size()));
  const std::string Own = "/proc/self/fd/" + std::to_string(Fd);
  const auto Shown = [&] {
    return nlohmann::json::parse(ctl(Pid, "status --format json").Out)["trace"]
        .get<std::string>();
  };
  EXPECT_THAT(Shown(), testing::EndsWith(" (deleted)"));
  ASSERT_EQ(linkat(AT_FDCWD, Own.c_str(), AT_FDCWD,
                   (Dir + "/of/m.inmem").c_str(), AT_SYMLINK_FOLLOW),
            0);
  AddOthers("late");
  EXPECT_EQ(Shown(), Dir + "/of/m.inmem");
  close(Fd);
}

TEST_F(Ctl, OrdersReachAProcessWhoseTraceIsDamaged) {
  const pid_t Pid = holding("a.inmem");
  auto Bytes = assembled(traceOf(Pid) + "extent cells owner=1\n"
                                        " cell type=4294967295 limit=4096\n");
  // As many cells as would reach far past the file's end.
  const auto All = readBytes(Bytes);
  const uint64_t Many = 1u << 24;
  std::memcpy(&Bytes[(*All)[0].Extents.back().Offset +
                     offsetof(trace::ExtentHeader, Used)],
              &Many, sizeof Many);
  write("a.inmem", Bytes);
  const Ran R = ctl(Pid, "reset");
  EXPECT_EQ(R.Code, 0) << R.Err;
  EXPECT_THAT(R.Out, HasSubstr("counts begin again"));
}

/// One output of `inmem top`.
class Top : public Ctl {
protected:
  static std::string busy(pid_t Pid) {
    return "header state=running pid=" + std::to_string(Pid) +
           " live-bytes=64 peak-live-bytes=2048\n"
           "extent meta\n process \"./app\" \"-v\"\n"
           " thread index=1 tid=70 name=\"main\"\n"
           " thread index=2 tid=71 name=\"worker\"\n"
           " type index=1 id=1 size=8 name=\"A\"\n"
           " type index=2 id=2 size=100 name=\"B\"\n"
           " site id=1 type=1 key=1 kind=new function=\"f\"\n"
           " site id=2 type=2 key=2 kind=new function=\"g\"\n"
           "extent rows owner=1\n"
           " row site=1 type=1 allocations=8 bytes=64 frees=1 freed-bytes=8 "
           "moved-out=2 moved-out-bytes=16\n"
           " row site=2 type=2 allocations=3 bytes=300 frees=3 "
           "freed-bytes=300\n"
           "extent rows owner=2\n"
           " row site=1 type=1 allocations=3 bytes=24\n";
  }
  std::string once(const std::string &Arguments) {
    const Ran R = inmem("top --once --interval 0.01 " + Arguments);
    EXPECT_EQ(R.Code, 0) << R.Err;
    return R.Out;
  }
  /// Names of types in a table, from the top.
  static std::string order(const std::string &Table) {
    std::string Out;
    for (size_t At = 0; (At = Table.find('\n', At)) != Table.npos; ++At)
      if (At + 4 < Table.size() && Table.compare(At + 2, 2, "  ") == 0)
        Out += Table[At + 1];
    return Out;
  }
};

TEST_F(Top, ShowsWhatIsAliveAndHowTheProgramStands) {
  const pid_t Pid = holding("a.inmem");
  auto Bytes = assembled(busy(Pid));
  write("a.inmem", Bytes);
  const std::string Who = std::to_string(Pid);
  const std::string Stopped = once(Who);
  EXPECT_THAT(Stopped,
              testing::MatchesRegex(
                  "\\./app -v  not recording, live 64 B \\(peak 2\\.0 KiB\\), "
                  "resident [0-9.]+ [KM]iB, allocates 0 B/s in 0/s\n(.|\n)*"));
  EXPECT_THAT(Stopped,
              testing::ContainsRegex(
                  "\nA +64 B +- +8 +0 B +0 +0 +72 B\nB +0 B +- +0 +0 B +0 +0 "
                  "+300 B\nall types +64 B +- +8 +0 B +0 +0 +372 B\n"));
  Bytes[offsetof(trace::FileHeader, Commands) +
        offsetof(trace::CommandQueue, Recording)] = std::byte{1};
  write("a.inmem", Bytes);
  EXPECT_THAT(once(Who), testing::StartsWith("./app -v  live 64 B"));
}

TEST_F(Top, SortsAndChooses) {
  const pid_t Pid = holding("a.inmem");
  write("a.inmem", assembled(busy(Pid)));
  const std::string Who = std::to_string(Pid);
  EXPECT_EQ(order(once(Who)), "AB");
  EXPECT_EQ(order(once("--sort total " + Who)), "BA");
  EXPECT_EQ(order(once("--sort name " + Who)), "AB");
  EXPECT_EQ(order(once("--top 1 " + Who)), "A");
  EXPECT_EQ(order(once("--top 0 " + Who)), "AB");
  EXPECT_EQ(order(once("--type B " + Who)), "B");
  EXPECT_EQ(order(once("--site g " + Who)), "B");
  // Bytes allocated, of all sites.
  EXPECT_EQ(order(once("--min-bytes 72 " + Who)), "AB");
  EXPECT_EQ(order(once("--min-bytes 73 " + Who)), "B");
  const std::string Worker = once("--thread worker " + Who);
  EXPECT_EQ(order(Worker), "A");
  EXPECT_THAT(Worker, testing::ContainsRegex("\nA +24 B +- +3 .* 24 B\n"));
}

TEST_F(Top, SumsThreadsWhereItShowsThreads) {
  const pid_t Pid = holding("a.inmem");
  write("a.inmem", assembled(busy(Pid)));
  const std::string Text = once("--threads " + std::to_string(Pid));
  EXPECT_THAT(Text, HasSubstr("\nall threads "));
  EXPECT_THAT(Text, testing::Not(HasSubstr("all types")));
}

TEST_F(Top, AProgramThatHasEndedIsShownAtOnceAsItWas) {
  write("a.inmem", assembled("header state=complete pid=1\nextent meta\n"));
  for (const char *Interval : {"0.01", "86400"}) {
    const Ran R =
        inmem("top --once a.inmem --interval " + std::string(Interval));
    EXPECT_EQ(R.Code, 0) << R.Err;
    EXPECT_THAT(R.Out, HasSubstr("ended, live"));
    EXPECT_THAT(R.Out, HasSubstr("all types"));
  }
  for (const char *Interval : {"0.009", "86401", "-1", "nan"})
    EXPECT_EQ(
        inmem("top --once a.inmem --interval " + std::string(Interval)).Code, 2)
        << Interval;
}

/// A program with a terminal of its own, which it does not control: no signal
/// says that it was closed.
class Terminal {
public:
  explicit Terminal(const std::string &Command) {
    Master = posix_openpt(O_RDWR | O_NOCTTY);
    grantpt(Master);
    unlockpt(Master);
    const winsize Size{24, 100, 0, 0};
    ioctl(Master, TIOCSWINSZ, &Size);
    const int Slave = open(ptsname(Master), O_RDWR | O_NOCTTY);
    Child = fork();
    if (Child == 0) {
      setsid();
      for (const int Fd : {0, 1, 2})
        dup2(Slave, Fd);
      close(Slave);
      close(Master);
      setenv("TERM", "xterm", 1);
      setenv("LC_ALL", "C", 1);
      execl("/bin/sh", "sh", "-c", ("exec " + Command).c_str(), nullptr);
      _exit(127);
    }
    close(Slave);
  }
  ~Terminal() {
    hangUp();
    kill(Child, SIGKILL);
    waitpid(Child, nullptr, 0);
  }
  /// True if the words come, in this order, after what came before.
  testing::AssertionResult shows(std::initializer_list<std::string> Words) {
    size_t From = 0;
    for (const std::string &Word : Words) {
      size_t At;
      for (int Try = 0; (At = Seen.find(Word, From)) == Seen.npos; ++Try) {
        pollfd In{Master, POLLIN, 0};
        char Some[4096];
        ssize_t Got = 0;
        if (poll(&In, 1, 100) > 0)
          Got = read(Master, Some, sizeof Some);
        if (Got < 0 || Try == 18000)
          return testing::AssertionFailure()
                 << "no '" << Word << "' in " << testing::PrintToString(Seen);
        Seen.append(Some, static_cast<size_t>(Got));
      }
      From = At + Word.size();
    }
    Seen.erase(0, From);
    return testing::AssertionSuccess();
  }
  void press(char Key) { ASSERT_EQ(::write(Master, &Key, 1), 1); }
  void hangUp() {
    if (Master >= 0)
      close(Master);
    Master = -1;
  }
  /// Its exit code, or -1 if it does not end.
  int code() {
    for (int Try = 0; Try < 180000; ++Try) {
      int Status = 0;
      if (waitpid(Child, &Status, WNOHANG) == Child)
        return WIFEXITED(Status) ? WEXITSTATUS(Status) : -1;
      usleep(10000);
    }
    return -1;
  }

private:
  int Master = -1;
  pid_t Child = -1;
  std::string Seen;
};

TEST_F(Top, DrawsOnATerminalAndTakesKeys) {
  const pid_t Pid = holding("a.inmem");
  write("a.inmem", assembled(busy(Pid)));
  Terminal T(INMEM_TOOL_WORD " top --interval 0.05 " + std::to_string(Pid));
  EXPECT_TRUE(T.shows({"\x1b[?25l"})) << "the cursor is hidden";
  // Each row by what it allocated in all.
  EXPECT_TRUE(T.shows({"./app -v", "live 64 B (peak 2.0 KiB)", "*live", "72 B",
                       "300 B", "sorted by live"}));
  T.press('t');
  EXPECT_TRUE(T.shows({"*allocated", "300 B", "72 B", "sorted by allocated"}));
  T.press('n');
  EXPECT_TRUE(T.shows({"*type", "72 B", "300 B", "sorted by name"}));
  T.press(' ');
  EXPECT_TRUE(T.shows({"paused; sorted by name"}));
  T.press('q');
  EXPECT_EQ(T.code(), 0);
}

TEST_F(Top, EndsWithItsTerminal) {
  const pid_t Pid = holding("a.inmem");
  write("a.inmem", assembled(busy(Pid)));
  Terminal T(INMEM_TOOL_WORD " top --interval 0.05 " + std::to_string(Pid));
  EXPECT_TRUE(T.shows({"sorted by live"}));
  T.hangUp();
  EXPECT_EQ(T.code(), 0);
}

} // namespace
