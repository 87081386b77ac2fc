//===- LinesTest.cpp - Lines of this program, on a stack of its own -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stacks/Lines.h"
#include "platform/Files.h"
#include "platform/Signals.h"

#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <link.h>
#include <string>
#include <unistd.h>

using namespace inmem::rt;

namespace {

/// Compiled with debug information (CMakeLists.txt).
__attribute__((noinline)) uintptr_t here() {
  return reinterpret_cast<uintptr_t>(__builtin_return_address(0)) - 1;
}

uintptr_t baseOfProgram() {
  uintptr_t Base = 0;
  dl_iterate_phdr(
      [](dl_phdr_info *Info, size_t, void *To) {
        *static_cast<uintptr_t *>(To) = Info->dlpi_addr;
        return 1;
      },
      &Base);
  return Base;
}

struct Found {
  std::string File;
  uint32_t Line = 0;
};

Found findLine(uint64_t Address, size_t MostBytes) {
  struct Question {
    uint64_t Address;
    size_t MostBytes;
    char File[1024];
    uint32_t Line;
  } Q = {Address, MostBytes, {}, 0};
  const auto Ask = [](void *Context) {
    auto &Q = *static_cast<Question *>(Context);
    static const char kPath[] = "/proc/self/exe";
    const int Fd = open(kPath, O_RDONLY);
    {
      LineReader Lines(kPath, Fd, Q.MostBytes);
      const LineFrame *Frames = nullptr;
      if (Lines.find(Q.Address, Frames) && Frames->File) {
        strncpy(Q.File, Frames->File, sizeof Q.File - 1);
        Q.Line = Frames->Line;
      }
    }
    close(Fd); // it stayed ours
  };
  EXPECT_TRUE(runOnOwnStack(1 << 20, Ask, &Q));
  return {Q.File, Q.Line};
}

TEST(LinesTest, FindsTheLineOfACall) {
  if (!LineReader::isAvailable())
    GTEST_SKIP() << "built without libbacktrace";
  const uint64_t Address = here() - baseOfProgram();
  const uint32_t Line = __LINE__ - 1;
  for (int Time = 0; Time < 3; ++Time) {
    const Found F = findLine(Address, 256 << 20);
    EXPECT_TRUE(F.File.ends_with("LinesTest.cpp")) << F.File;
    EXPECT_EQ(F.Line, Line);
  }
}

TEST(LinesTest, FindsNothingWithTooLittleMemory) {
  const uint64_t Address = here() - baseOfProgram();
  for (size_t Most : {size_t{0}, size_t{4096}, size_t{100000}, size_t{400000}})
    EXPECT_EQ(findLine(Address, Most).Line, 0u) << Most;
}

TEST(LinesTest, FindsNothingOutsideOfTheCode) {
  // Not at 0: linkers leave functions there that they discarded.
  for (uint64_t Address : {uint64_t{1} << 46, ~uint64_t{0}})
    EXPECT_EQ(findLine(Address, 256 << 20).Line, 0u) << Address;
}

TEST(PlatformTest, AStackOfItsOwnIsLargeAndWithoutSignals) {
  struct State {
    const char *Outside;
    bool Blocked, Elsewhere;
  } S = {nullptr, false, false};
  char Local = 0;
  S.Outside = &Local;
  sigset_t Before, After;
  pthread_sigmask(SIG_SETMASK, nullptr, &Before);
  const auto Run = [](void *Context) {
    auto &S = *static_cast<State *>(Context);
    volatile char Deep[512 << 10];
    for (size_t I = 0; I < sizeof Deep; I += 4096)
      Deep[I] = 1;
    sigset_t Now;
    pthread_sigmask(SIG_SETMASK, nullptr, &Now);
    S.Blocked = sigismember(&Now, SIGUSR1) == 1;
    const char *Here = const_cast<const char *>(&Deep[0]);
    S.Elsewhere = Here > S.Outside ? Here - S.Outside > (1 << 20)
                                   : S.Outside - Here > (1 << 20);
  };
  EXPECT_TRUE(runOnOwnStack(1 << 20, Run, &S));
  EXPECT_TRUE(S.Blocked);
  EXPECT_TRUE(S.Elsewhere);
  pthread_sigmask(SIG_SETMASK, nullptr, &After);
  EXPECT_EQ(sigismember(&Before, SIGUSR1), sigismember(&After, SIGUSR1));
}

} // namespace
