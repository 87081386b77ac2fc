//===- PatienceTest.cpp - Processes that sleep, run, or get no processor --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/inmem/live/Patience.h"

#include <csignal>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace inmem::tools;
using namespace std::chrono_literals;

namespace {

struct PatienceOf : testing::Test {
  Patience::Look Is;
  Patience Of{[this] { return Is; }, 100ms};
  Patience::Time Now{};

  /// \returns whether it is over after \p Count looks, 10 ms apart
  bool after(int Count) {
    bool Over = false;
    for (int I = 0; I < Count; ++I)
      Over = Of.isOver(Now += 10ms);
    return Over;
  }
};

TEST_F(PatienceOf, AProcessThatSleepsIsIdle) {
  EXPECT_FALSE(after(10));
  EXPECT_TRUE(after(1));
}

TEST_F(PatienceOf, AProcessWithoutAProcessorIsNot) {
  Is.CanRun = true;
  EXPECT_FALSE(after(100000));
  Is.Ran = 90ms; // at last, and for a while it does not allocate
  EXPECT_FALSE(after(1000));
  Is.CanRun = false;
  EXPECT_TRUE(after(1));
}

TEST_F(PatienceOf, AProcessThatOnlyComputesIsWaitedForAsLong) {
  Is.CanRun = true;
  Is.Ran = 99ms;
  EXPECT_FALSE(after(2));
  Is.Ran = 100ms;
  EXPECT_TRUE(after(1));
}

TEST_F(PatienceOf, ALongGapOfOursSaysLittle) {
  after(1);
  EXPECT_FALSE(Of.isOver(Now += 10s));
}

TEST(LookAt, SeesWhetherAThreadCanRun) {
  const Patience::Look Own = lookAt(getpid());
  EXPECT_TRUE(Own.CanRun);
  const pid_t Child = fork();
  if (Child == 0)
    for (;;)
      pause();
  while (lookAt(Child).CanRun)
    usleep(1000);
  kill(Child, SIGKILL);
  waitpid(Child, nullptr, 0);
  EXPECT_FALSE(lookAt(Child).CanRun);
  EXPECT_EQ(lookAt(Child).Ran, 0ns);
}

} // namespace
