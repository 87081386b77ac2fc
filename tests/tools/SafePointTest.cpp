//===- SafePointTest.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks and code as byte arrays: where dlopen may be called.
//
//===----------------------------------------------------------------------===//
#include "tools/inmem/live/SafePoint.h"

#include <cstring>
#include <gtest/gtest.h>
#include <sys/syscall.h>

using namespace inmem::tools;

namespace {

constexpr uint64_t kLibc = 0x100000, kLoader = 0x300000, kProgram = 0x500000,
                   kRuntime = 0x700000, kSize = 0x40000;

/// A process with a C library, a loader, a program and the runtime. Its code is
/// of nops, except where a test writes.
struct SafePoint : testing::Test {
  std::vector<uint8_t> Code = std::vector<uint8_t>(0x800000, 0x90);
  std::vector<RemoteImage> Images = {
      {"/app",
       {kProgram, kProgram + kSize},
       {{kProgram, kProgram + kSize}},
       {}},
      {"/lib/libc.so.6",
       {kLibc, kLibc + kSize},
       {{kLibc, kLibc + kSize}},
       {{"malloc", {kLibc + 0x20000, kLibc + 0x20100}},
        {"free", {kLibc + 0x20200, kLibc + 0x20300}},
        {"fork", {kLibc + 0x1000, kLibc + 0x1100}},
        {"qsort", {kLibc + 0x2000, kLibc + 0x2100}},
        {"dlopen", {kLibc + 0x3000, kLibc + 0x3100}}}},
      {"/lib64/ld-linux-x86-64.so.2",
       {kLoader, kLoader + kSize},
       {{kLoader, kLoader + kSize}},
       {}},
      {"/lib/libinmem_rt.so.0",
       {kRuntime, kRuntime + kSize},
       {{kRuntime, kRuntime + kSize}},
       {{"__inmem_attach", {kRuntime, kRuntime + 16}}}}};

  size_t read(uint64_t From, void *To, size_t Bytes) const {
    const size_t Got =
        From >= Code.size() ? 0 : std::min(Bytes, Code.size() - From);
    std::memcpy(To, Code.data() + From, Got);
    return Got;
  }
  SafePointRules rules() {
    return {Images, [this](uint64_t From, void *To, size_t Bytes) {
              return read(From, To, Bytes);
            }};
  }
  /// A return address behind a call that is put before it.
  uint64_t after(uint64_t Address) {
    Code[Address - 5] = 0xe8;
    return Address;
  }
  bool isSafe(uint64_t Pc, std::vector<uint64_t> Stack, int64_t Call = -1) {
    return rules().isSafe({Pc, Call, Stack});
  }
};

TEST_F(SafePoint, TheProgramsOwnCodeIsSafe) {
  EXPECT_TRUE(isSafe(kProgram + 100, {}));
  EXPECT_TRUE(isSafe(kProgram + 100, {after(kProgram + 0x500), 1, 2, 3}));
  // qsort calls the program back: it holds no lock.
  EXPECT_TRUE(isSafe(kProgram + 100, {after(kLibc + 0x2050)}));
}

TEST_F(SafePoint, DecidesWithoutReadingTheProcess) {
  // A thread is stopped until it is decided: code was read before.
  const uint64_t Return = after(kLoader + 0x800);
  const uint64_t Stale = kLibc + 0x20080; // follows no call
  size_t Reads = 0;
  const SafePointRules Rules(Images,
                             [&](uint64_t From, void *To, size_t Bytes) {
                               ++Reads;
                               return read(From, To, Bytes);
                             });
  const size_t Before = Reads;
  const std::vector<uint64_t> Unsafe = {7, Return}, Safe = {7, Stale};
  EXPECT_FALSE(Rules.isSafe({kProgram + 100, -1, Unsafe}));
  EXPECT_TRUE(Rules.isSafe({kProgram + 100, -1, Safe}));
  EXPECT_TRUE(Rules.isOutsideRuntime({kProgram + 100, -1, Safe}));
  EXPECT_EQ(Reads, Before);
}

TEST_F(SafePoint, TheLoaderAndTheAllocatorAreNot) {
  EXPECT_FALSE(isSafe(kLoader + 8, {}));
  EXPECT_FALSE(isSafe(kLibc + 0x20010, {}));
  EXPECT_FALSE(isSafe(kRuntime + 0x100, {}));
  EXPECT_FALSE(isSafe(kProgram + 100, {7, after(kLoader + 0x800)}));
  EXPECT_FALSE(isSafe(kProgram + 100, {after(kLibc + 0x20080)}));
  EXPECT_FALSE(isSafe(kProgram + 100, {after(kLibc + 0x1080)})); // fork
  EXPECT_FALSE(isSafe(kProgram + 100, {after(kLibc + 0x3080)})); // dlopen
  // Functions of malloc.c without a name, below the first that has one.
  EXPECT_FALSE(isSafe(kProgram + 100, {after(kLibc + 0x20000 - 0x3000)}));
}

TEST_F(SafePoint, UnwindingTellsOldWordsFromReturnAddresses) {
  const std::vector<uint64_t> Stack = {after(kLibc + 0x20080)};
  const auto Unwound = [&](std::vector<uint64_t> Returns, uint64_t Pc) {
    return rules().isSafe({Pc, SYS_read, Stack}, Returns);
  };
  const uint64_t Ours = kProgram + 100, Outer = kProgram + 0x500;
  EXPECT_FALSE(rules().isSafe({Ours, SYS_read, Stack}));
  EXPECT_TRUE(Unwound({Outer}, Ours));
  EXPECT_TRUE(Unwound({Outer}, kLibc + 0x5000));
  EXPECT_FALSE(Unwound({kLibc + 0x20080, Outer}, Ours));
  EXPECT_FALSE(Unwound({Outer}, kLoader + 8));
  EXPECT_FALSE(Unwound({Outer}, kRuntime + 8));
  // A hook of the runtime's, and the function with which it starts threads.
  EXPECT_FALSE(Unwound({kRuntime + 8, Outer, Outer, Outer}, Ours));
  EXPECT_TRUE(Unwound({Outer, kRuntime + 8, Outer, Outer}, Ours));
}

TEST_F(SafePoint, WordsThatFollowNoCallAreData) {
  EXPECT_TRUE(isSafe(kProgram + 100, {kLoader + 0x800, kLibc + 0x20080}));
}

TEST_F(SafePoint, TheLibraryOnlyWhereItWaits) {
  EXPECT_FALSE(isSafe(kLibc + 0x5000, {}));
  EXPECT_FALSE(isSafe(kLibc + 0x5000, {}, SYS_munmap));
  EXPECT_TRUE(isSafe(kLibc + 0x5000, {}, SYS_futex));
  EXPECT_TRUE(isSafe(kLibc + 0x5000, {}, SYS_read));
  // It waits for an arena of malloc's.
  EXPECT_FALSE(isSafe(kLibc + 0x5000, {after(kLibc + 0x20080)}, SYS_futex));
}

TEST_F(SafePoint, ASignalHandlerIsNot) {
  constexpr uint8_t kRestore[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
  std::memcpy(&Code[kLibc + 0x6000], kRestore, sizeof kRestore);
  EXPECT_FALSE(isSafe(kProgram + 100, {1, kLibc + 0x6000, 2}));
  EXPECT_TRUE(isSafe(kProgram + 100, {1, kLibc + 0x6001, 2}));
}

TEST_F(SafePoint, AnotherAllocatorIsOneAsAWhole) {
  Images.push_back(
      {"/lib/libjemalloc.so.2",
       {0x740000, 0x760000},
       {{0x740000, 0x760000}},
       {{"malloc", {0x740100, 0x740200}}, {"free", {0x740300, 0x740400}}}});
  EXPECT_FALSE(isSafe(0x750000, {}));
  EXPECT_FALSE(isSafe(kProgram + 100, {after(0x750000)}));
}

TEST_F(SafePoint, TheRuntimeIsWhereTheProgramCalledIt) {
  const auto In = [&](uint64_t Pc, std::vector<uint64_t> Stack) {
    return rules().isInRuntime({Pc, SYS_futex, Stack});
  };
  EXPECT_TRUE(In(kRuntime + 1, {}));
  // A lock of its own, or the allocator's.
  EXPECT_TRUE(In(kLibc + 0x5000, {after(kRuntime + 0x900)}));
  EXPECT_TRUE(In(kLibc + 0x20010, {1, 2, after(kRuntime + 0x900)}));
  EXPECT_FALSE(isSafe(kLibc + 0x5000, {after(kRuntime + 0x900)}, SYS_futex));
  // It has started the thread: its frame is the last of the stack.
  std::vector<uint64_t> Deep(1000, 0);
  Deep.back() = after(kRuntime + 0x900);
  EXPECT_FALSE(In(kLibc + 0x5000, Deep));
  EXPECT_TRUE(isSafe(kLibc + 0x5000, Deep, SYS_futex));
  EXPECT_FALSE(In(kProgram, {after(kRuntime + 0x900)}));
}

TEST_F(SafePoint, OutsideOfTheRuntimeIsWithoutAnyReturnToIt) {
  const auto Out = [&](uint64_t Pc, std::vector<uint64_t> Stack) {
    return rules().isOutsideRuntime({Pc, -1, Stack});
  };
  const auto OutBy = [&](uint64_t Pc, std::vector<uint64_t> Returns) {
    return rules().isOutsideRuntime({Pc, -1, {}}, Returns);
  };
  const uint64_t Call = after(kRuntime + 0x900);
  EXPECT_TRUE(Out(kProgram, {1, 2, 3}));
  EXPECT_TRUE(Out(kLibc + 0x20010, {kRuntime + 0x800})); // no call before it
  EXPECT_FALSE(Out(kRuntime + 1, {}));
  // However far up: the program's code was called by it.
  std::vector<uint64_t> Deep(1000, 0);
  Deep.back() = Call;
  EXPECT_FALSE(Out(kProgram, Deep));
  // The rest of a stack that is not known may have one.
  EXPECT_FALSE(rules().isOutsideRuntime({kProgram, -1, {}, true}));
  EXPECT_TRUE(OutBy(kProgram, {kProgram + 8, kProgram + 16}));
  EXPECT_FALSE(OutBy(kRuntime + 8, {kProgram + 8}));
  EXPECT_FALSE(OutBy(kLibc, {Call, 1, 2, 3, 4}));
  EXPECT_TRUE(OutBy(kLibc, {1, 2, 3, Call, 4, 5})); // it started the thread
}

TEST(EndsWithCall, KnowsTheForms) {
  const auto Ends = [](std::vector<uint8_t> Bytes) {
    return endsWithCall(Bytes);
  };
  EXPECT_TRUE(Ends({0xe8, 1, 2, 3, 4}));             // call rel32
  EXPECT_TRUE(Ends({0xff, 0xd0}));                   // call *%rax
  EXPECT_TRUE(Ends({0x41, 0xff, 0xd3}));             // call *%r11
  EXPECT_TRUE(Ends({0xff, 0x50, 0x18}));             // call *24(%rax)
  EXPECT_TRUE(Ends({0xff, 0x15, 1, 2, 3, 4}));       // call *x(%rip)
  EXPECT_TRUE(Ends({0xff, 0x94, 0xc8, 1, 2, 3, 4})); // call *x(%rax,%rcx,8)
  EXPECT_FALSE(Ends({0xe9, 1, 2, 3, 4}));            // jmp rel32
  EXPECT_FALSE(Ends({0xff, 0xe0}));                  // jmp *%rax
  EXPECT_FALSE(Ends({0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90}));
  EXPECT_FALSE(Ends({}));
}

} // namespace
