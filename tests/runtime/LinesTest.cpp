//===- LinesTest.cpp - Lines of this program, on a stack of its own -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stacks/Lines.h"
#include "platform/Files.h"
#include "platform/Signals.h"

#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
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

Found findLine(uint64_t Address, size_t MostBytes,
               const char *Path = "/proc/self/exe") {
  struct Question {
    const char *Path;
    uint64_t Address;
    size_t MostBytes;
    char File[1024];
    uint32_t Line;
  } Q = {Path, Address, MostBytes, {}, 0};
  const auto Ask = [](void *Context) {
    auto &Q = *static_cast<Question *>(Context);
    const int Fd = open(Q.Path, O_RDONLY);
    {
      LineReader Lines(Q.Path, Fd, Q.MostBytes);
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

/// A copy of this program whose sections of debug information have the size
/// \p Size.
std::string copyWithSizes(uint64_t Size) {
  std::ifstream In("/proc/self/exe", std::ios::binary);
  std::string File{std::istreambuf_iterator<char>(In), {}};
  auto *Header = reinterpret_cast<ElfW(Ehdr) *>(File.data());
  auto *Sections = reinterpret_cast<ElfW(Shdr) *>(&File[Header->e_shoff]);
  const char *Names = &File[Sections[Header->e_shstrndx].sh_offset];
  for (int I = 0; I < Header->e_shnum; ++I)
    if (strncmp(Names + Sections[I].sh_name, ".debug_", 7) == 0)
      Sections[I].sh_size = Size;
  std::string Path = testing::TempDir() + "lines-" + std::to_string(getpid());
  std::ofstream(Path, std::ios::binary) << File;
  return Path;
}

TEST(LinesTest, FindsNothingInSectionsThatCannotBeSoLarge) {
  const uint64_t Address = here() - baseOfProgram();
  for (uint64_t Size : {~uint64_t{0}, ~uint64_t{0} - 15, ~uint64_t{0} - 16,
                        uint64_t{1} << 63, uint64_t{1} << 32}) {
    const std::string Path = copyWithSizes(Size);
    EXPECT_EQ(findLine(Address, 256 << 20, Path.c_str()).Line, 0u) << Size;
    unlink(Path.c_str());
  }
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
