//===- UnwindTest.cpp - Walks from where a signal interrupted -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unwind/Unwind.h"
#include "platform/Mappings.h"
#include "unwind/UnwindTables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <vector>

using namespace inmem::rt;

// Stops at each step of building its frame and of leaving it, with tables.
extern "C" void inmem_test_steps();
// A stop in a function that builds no frame.
extern "C" void inmem_test_leaf();
#if defined(__x86_64__)
__asm__(R"(
  .text
  .globl inmem_test_steps
  .type inmem_test_steps, %function
inmem_test_steps:
  .cfi_startproc
  int3
  push %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  int3
  mov %rsp, %rbp
  .cfi_def_cfa_register %rbp
  int3
  sub $64, %rsp
  int3
  leave
  .cfi_def_cfa %rsp, 8
  .cfi_restore %rbp
  int3
  ret
  .cfi_endproc
  .size inmem_test_steps, . - inmem_test_steps
  .globl inmem_test_leaf
  .type inmem_test_leaf, %function
inmem_test_leaf:
  .cfi_startproc
  int3
  ret
  .cfi_endproc
  .size inmem_test_leaf, . - inmem_test_leaf
)");
#else
__asm__(R"(
  .text
  .globl inmem_test_steps
  .type inmem_test_steps, %function
inmem_test_steps:
  .cfi_startproc
  brk #0
  stp x29, x30, [sp, #-32]!
  .cfi_def_cfa_offset 32
  .cfi_offset x29, -32
  .cfi_offset x30, -24
  brk #0
  mov x29, sp
  .cfi_def_cfa x29, 32
  brk #0
  mov x30, #1
  sub sp, sp, #64
  brk #0
  mov sp, x29
  .cfi_def_cfa sp, 32
  ldp x29, x30, [sp], #32
  .cfi_def_cfa_offset 0
  .cfi_restore x29
  .cfi_restore x30
  brk #0
  ret
  .cfi_endproc
  .size inmem_test_steps, . - inmem_test_steps
  .globl inmem_test_leaf
  .type inmem_test_leaf, %function
inmem_test_leaf:
  .cfi_startproc
  brk #0
  ret
  .cfi_endproc
  .size inmem_test_leaf, . - inmem_test_leaf
)");
#endif

namespace {

constexpr unsigned kStops = 5;

Unwinder Walks;
std::vector<StackWalk> Seen;
size_t MostSeen = 0;
Retrace Retraced;
unsigned RetraceDepth = 0; ///< not 0: the walk is retraced to there

Registers registersOf(const ucontext_t &Context) {
  const auto &M = Context.uc_mcontext;
#if defined(__x86_64__)
  return {static_cast<uintptr_t>(M.gregs[REG_RIP]),
          static_cast<uintptr_t>(M.gregs[REG_RSP]),
          static_cast<uintptr_t>(M.gregs[REG_RBP]), 0};
#else
  return {M.pc, M.sp, M.regs[29], M.regs[30]};
#endif
}

/// Walks from where it interrupted; continues after a stop.
void onSignal(int Signal, siginfo_t *, void *Context) {
  auto &Interrupted = *static_cast<ucontext_t *>(Context);
  Registers At = registersOf(Interrupted);
  if (Seen.size() < MostSeen) {
    Seen.resize(Seen.size() + 1);
    walkFrom(Walks, At, Seen.back(), kMaxDepth);
    if (RetraceDepth)
      retrace(Walks, At, Retraced, RetraceDepth);
  }
#if defined(__aarch64__)
  if (Signal == SIGTRAP)
    Interrupted.uc_mcontext.pc += 4;
#else
  (void)Signal;
#endif
}

uintptr_t addressOf(void (*Function)()) {
  return reinterpret_cast<uintptr_t>(Function);
}

class Unwind : public ::testing::Test {
protected:
  void SetUp() override {
    Seen.clear();
    Walks = {};
    RetraceDepth = 0;
    allow(64);
    struct sigaction A = {};
    A.sa_sigaction = onSignal;
    A.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    for (const int Signal : {SIGTRAP, SIGALRM})
      sigaction(Signal, &A, nullptr);
  }
  /// The handler must not allocate.
  static void allow(size_t Most) {
    Seen.reserve(Most);
    MostSeen = Most;
  }
  /// The functions of a walk are those, innermost first; others follow.
  static void expect(const StackWalk &W, std::vector<uintptr_t> Functions) {
    ASSERT_GT(W.Count, Functions.size());
    for (size_t I = 0; I < Functions.size(); ++I)
      EXPECT_EQ(functionStart(W.Frames[I]), Functions[I]) << "frame " << I;
    EXPECT_FALSE(W.Lost);
    EXPECT_FALSE(W.Cut);
  }
  /// True if the walk came through that function.
  static bool passes(const StackWalk &W, void (*Function)()) {
    return std::any_of(W.Frames, W.Frames + W.Count, [&](CodeAddress A) {
      return functionStart(A) == addressOf(Function);
    });
  }
};

volatile int Zero = 0;

__attribute__((noinline)) void callSteps() {
  inmem_test_steps();
  Zero = 0;
}
__attribute__((noinline)) void callLeaf() {
  inmem_test_leaf();
  Zero = 0;
}
/// More than 16 bits of bytes.
__attribute__((noinline)) void callFromLargeFrame() {
  volatile char Room[100000];
  Room[Zero] = 1;
  callSteps();
  Room[Zero] = 2;
}
void onOther(int) {
  callSteps();
  Zero = 0;
}
__attribute__((noinline)) void raiseOther() {
  raise(SIGUSR1);
  Zero = 0;
}

TEST_F(Unwind, LeavesAFrameAtEachOfItsSteps) {
  callSteps();
  ASSERT_EQ(Seen.size(), kStops);
  for (const StackWalk &W : Seen)
    expect(W, {addressOf(inmem_test_steps), addressOf(callSteps)});
}

TEST_F(Unwind, EndsWhereMemoryCannotBeRead) {
  EXPECT_FALSE(isReadable(nullptr));
  const uintptr_t Code = addressOf(inmem_test_steps);
  for (const uintptr_t Pc : {uintptr_t{0}, uintptr_t{3}, UINTPTR_MAX, Code,
                             Code + 4, Code + 8, Code + 12})
    for (const uintptr_t Sp : {uintptr_t{0}, uintptr_t{8}, UINTPTR_MAX - 7})
      for (const uintptr_t Fp :
           {uintptr_t{0}, uintptr_t{8}, UINTPTR_MAX - 15, UINTPTR_MAX - 31}) {
        StackWalk W;
        walkFrom(Walks, {Pc, Sp, Fp, Fp}, W, kMaxDepth);
        EXPECT_LE(W.Count, 2u);
      }
}

TEST_F(Unwind, LeavesAFunctionThatBuildsNoFrame) {
  callLeaf();
  ASSERT_EQ(Seen.size(), 1u);
  expect(Seen[0], {addressOf(inmem_test_leaf), addressOf(callLeaf)});
}

#if defined(__x86_64__)
void stopAndRetrace() { callLeaf(); }
#else
/// From its caller: a leaf function's return address is in no memory.
__attribute__((noinline)) void stopAndRetrace() {
  const auto *Own = static_cast<const uintptr_t *>(__builtin_frame_address(0));
  const Registers At = {Own[1] - 1, reinterpret_cast<uintptr_t>(Own + 2),
                        Own[0], 0};
  Seen.resize(Seen.size() + 1);
  walkFrom(Walks, At, Seen.back(), kMaxDepth);
  retrace(Walks, At, Retraced, RetraceDepth);
}
#endif

TEST_F(Unwind, RetracesNoFurtherThanAsked) {
  unsigned All = 0;
  for (const unsigned Depth : {kMaxDepth, 1u, 2u, 3u}) {
    RetraceDepth = Depth;
    stopAndRetrace();
    const StackWalk &W = Seen.back();
    if (Depth == kMaxDepth) {
      EXPECT_TRUE(Retraced.Complete);
      All = Retraced.Count;
      EXPECT_EQ(All, W.Count);
      ASSERT_GT(All, 3u);
    } else {
      EXPECT_EQ(Retraced.Count, Depth);
    }
    for (unsigned I = 0; I < Retraced.Count; ++I)
      EXPECT_EQ(Retraced.Frames[I], W.Frames[I]) << I;
  }
}

TEST_F(Unwind, LeavesLargeFrames) {
  callFromLargeFrame();
  ASSERT_EQ(Seen.size(), kStops);
  for (const StackWalk &W : Seen)
    expect(W, {addressOf(inmem_test_steps), addressOf(callSteps),
               addressOf(callFromLargeFrame)});
}

TEST_F(Unwind, GoesThroughSignalHandlers) {
  static char Stack[65536];
  stack_t Ours = {}, Before = {};
  Ours.ss_sp = Stack;
  Ours.ss_size = sizeof Stack;
  sigaltstack(&Ours, &Before);
  for (const int Flags : {0, SA_ONSTACK}) {
    Seen.clear();
    struct sigaction A = {};
    A.sa_handler = onOther;
    A.sa_flags = Flags;
    sigaction(SIGUSR1, &A, nullptr);
    raiseOther();
    ASSERT_EQ(Seen.size(), kStops);
    for (const StackWalk &W : Seen) {
      ASSERT_GT(W.Count, 3u);
      EXPECT_EQ(functionStart(W.Frames[2]),
                reinterpret_cast<uintptr_t>(onOther));
      EXPECT_TRUE(isSignalFrame(W.Frames[3]));
#ifdef __GLIBC__ // else raise() has no tables
      EXPECT_TRUE(passes(W, raiseOther));
      EXPECT_FALSE(W.Lost);
#endif
    }
  }
  sigaltstack(&Before, nullptr);
}

//===----------------------------------------------------------------------===//
// Code without tables
//===----------------------------------------------------------------------===//

__attribute__((noinline)) void callGenerated(void (*Code)(void (*)())) {
  Code(callSteps);
  Zero = 0;
}

#if defined(__x86_64__)
// push %rbp; mov %rsp, %rbp; call *%rdi; int3; leave; ret
constexpr unsigned char kGenerated[] = {0x55, 0x48, 0x89, 0xe5, 0xff,
                                        0xd7, 0xcc, 0xc9, 0xc3};
constexpr unsigned kGeneratedStops = 1;
#else
constexpr uint32_t kGenerated[] = {
    0xa9bf7bfd, // stp x29, x30, [sp, #-16]!
    0x910003fd, // mov x29, sp
    0xd4200000, // brk: the link register is as the frame's record
    0xd63f0000, // blr x0
    0xd4200000, // brk: it leads into this function
    0x94000003, // bl the leaf
    0xa8c17bfd, // ldp x29, x30, [sp], #16
    0xd65f03c0, // ret
    0xd4200000, // the leaf: brk
    0xd65f03c0  // ret
};
constexpr unsigned kGeneratedStops = 3;
#endif

TEST_F(Unwind, FollowsFramePointersWhereThereAreNoTables) {
  void *Code = mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(Code, MAP_FAILED);
  std::memcpy(Code, kGenerated, sizeof kGenerated);
  auto *Begin = static_cast<char *>(Code);
  __builtin___clear_cache(Begin, Begin + sizeof kGenerated);
  ASSERT_EQ(mprotect(Code, 4096, PROT_READ | PROT_EXEC), 0);
  callGenerated(reinterpret_cast<void (*)(void (*)())>(Code));
  ASSERT_EQ(Seen.size(), kStops + kGeneratedStops);
  const auto Is = [&](CodeAddress A) {
    return A - reinterpret_cast<uintptr_t>(Code) < sizeof kGenerated;
  };
  const auto Caller = reinterpret_cast<uintptr_t>(callGenerated);
  for (const StackWalk &W : Seen) {
    EXPECT_FALSE(W.Lost);
    const auto *Outer =
        std::find_if(W.Frames, W.Frames + W.Count,
                     [&](CodeAddress A) { return functionStart(A) == Caller; });
    ASSERT_NE(Outer, W.Frames + W.Count);
    EXPECT_TRUE(Is(Outer[-1]));
    EXPECT_EQ(std::count_if(W.Frames, W.Frames + W.Count, Is),
              kGeneratedStops == 3 && &W == &Seen.back() ? 2 : 1);
  }
  munmap(Code, 4096);
}

//===----------------------------------------------------------------------===//
// Any instant
//===----------------------------------------------------------------------===//

__attribute__((noinline)) unsigned mix(unsigned A, unsigned B) {
  return (A ^ B) * 2654435761u;
}
__attribute__((noinline)) bool isLess(unsigned A, unsigned B) {
  return mix(A, 1) < mix(B, 1);
}
__attribute__((noinline)) unsigned deep(unsigned N) {
  return N == 0 ? 1 : mix(deep(N - 1), N) + 1;
}
unsigned volatile Sum;
__attribute__((noinline)) void work() {
#ifdef __GLIBC__
  std::vector<unsigned> All(64);
#else // musl's allocator may have no unwind tables
  std::array<unsigned, 64> All{};
#endif
  for (unsigned I = 0; I < All.size(); ++I)
    All[I] = mix(I, Sum);
  std::sort(All.begin(), All.end(), isLess);
  Sum = Sum + deep(20) + All[0];
}

TEST_F(Unwind, IsWholeFromAnyInstruction) {
  constexpr size_t kWalks = 200;
  allow(kWalks);
  const itimerval Each = {{0, 1000}, {0, 1000}}, Never = {};
  setitimer(ITIMER_REAL, &Each, nullptr);
  while (Seen.size() < kWalks)
    work();
  setitimer(ITIMER_REAL, &Never, nullptr);
  size_t Lost = 0, Outside = 0;
  for (const StackWalk &W : Seen) {
    Lost += W.Lost || W.Cut;
    // Where the loop itself was interrupted, or the timer began.
    Outside += !passes(W, work);
  }
  EXPECT_EQ(Lost, 0u);
  EXPECT_LE(Outside, kWalks / 20);
}

} // namespace
