//===- FleetFixture.h - A folder and traces for tests of the fleet --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TESTS_FLEET_FLEETFIXTURE_H
#define INMEM_TESTS_FLEET_FLEETFIXTURE_H

#include "fleet/folder/Exporter.h"
#include "fleet/tables/Durable.h"
#include "support/TemporaryFolder.h"
#include "trace/text/Text.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace inmem::fleet {

/// A trace of one type that one site allocated: Foo, Blocks blocks of 24 bytes,
/// half of which were freed after 10 to 20 ns.
inline std::string traceText(unsigned Pid, const std::string &Labels,
                             unsigned Blocks, const char *Site = "_Z4makei") {
  const std::string Half = std::to_string(Blocks / 2);
  const std::string Freed = std::to_string(Blocks / 2 * 24);
  return "header state=complete pid=" + std::to_string(Pid) +
         " clock=exact ticks-per-second=1000000000 "
         "start-unix-ns=1795555141000000000 "
         "end-unix-ns=1795555142000000000 peak-live-bytes=400 host=\"box\" "
         "executable=\"/bin/app\"\n"
         "extent meta\n"
         "  process \"./app\"\n"
         "  thread index=1 tid=70 start=5 name=\"main\"\n"
         "  type index=1 id=0x11 size=24 align=8 name=\"Foo\"\n"
         "  site id=1 type=1 key=0x101 kind=new function=\"" +
         std::string(Site) +
         "\" file=\"src/a.cpp\" line=3 column=10\n"
         "  note kind=labels ticks=1 text=\"" +
         Labels +
         "\"\n"
         "extent rows owner=1\n"
         "  row site=1 type=1 allocations=" +
         std::to_string(Blocks) + " bytes=" + std::to_string(Blocks * 24) +
         " frees=" + Half + " freed-bytes=" + Freed + " timed=" + Half +
         " weighted-timed=" + Half + " sum=" + std::to_string(Blocks / 2 * 15) +
         " min=10 max=20\n    octave 1 2=" + Half + '/' + Freed +
         "\nextent types\n  total live=0 peak=0\n  total live=100 peak=300\n";
}

class FleetTest : public testing::Test {
protected:
  void SetUp() override {
    if (std::filesystem::exists(INMEM_TEST_DUCKDB))
      setenv("INMEM_DUCKDB", INMEM_TEST_DUCKDB, 0);
  }

  /// Opens a database, or says why the test cannot run.
  static std::optional<Duck> duck() {
    auto Out = Duck::open({.Threads = 1});
    if (Out)
      return std::move(*Out);
    return std::nullopt;
  }
  std::string writeTrace(const std::string &Name, const std::string &Text) {
    const auto Bytes = trace::assemble(Text);
    EXPECT_TRUE(Bytes) << Bytes.status().str();
    const std::string File = (Folder / Name).string();
    if (Bytes)
      std::ofstream(File, std::ios::binary)
          .write(reinterpret_cast<const char *>(Bytes->data()),
                 static_cast<std::streamsize>(Bytes->size()));
    return File;
  }
  /// Runs \p Work, which returns whether it succeeded, in a child that is
  /// killed at its step number \p Step. \returns whether it ended before that.
  template <class F> static bool endsBefore(int Step, F Work) {
    const pid_t Child = fork();
    if (Child == 0) {
      StepHook = [&](const char *) {
        if (Step-- == 0)
          kill(getpid(), SIGKILL);
      };
      _exit(Work() ? 0 : 1);
    }
    int Status = 0;
    EXPECT_EQ(waitpid(Child, &Status, 0), Child);
    if (WIFEXITED(Status))
      EXPECT_EQ(WEXITSTATUS(Status), 0);
    return WIFEXITED(Status);
  }
  std::string store() const { return (Folder / "fleet").string(); }

private:
  test::TemporaryFolder Temporary{"inmem fleet"};

protected:
  const std::filesystem::path Folder = Temporary.path();
};

} // namespace inmem::fleet

// Skips tests that need DuckDB if it was not fetched (scripts/setup.sh).
#define INMEM_NEED_DUCKDB()                                                    \
  if (auto Opened = Duck::open({.Threads = 1}); !Opened)                       \
  GTEST_SKIP() << Opened.status().str()

#endif
