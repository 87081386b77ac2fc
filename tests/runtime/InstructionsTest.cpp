//===- InstructionsTest.cpp - Effects of machine code ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unwind/Instructions.h"
#include "unwind/UnwindTables.h"

#include <gtest/gtest.h>

using namespace inmem::rt;

[[maybe_unused]] static uintptr_t at(const char *Label) {
  return reinterpret_cast<uintptr_t>(Label);
}

#if defined(__x86_64__)
// Code that is only read. Return is where the named call returns to.
// NOLINTBEGIN(readability-identifier-naming): the assembler's names
extern "C" const char inmem_test_calls[], inmem_test_first[],
    inmem_test_second[], inmem_test_branch[], inmem_test_behind_branch[],
    inmem_test_indirect[], inmem_test_after_indirect[], inmem_test_jump[],
    inmem_test_after_jump[];
// NOLINTEND(readability-identifier-naming)
__asm__(R"(
  .text
inmem_test_calls:
  mov %rbx, %rdi
  mov 0x12345678(%rax,%rcx,8), %rsi
  lea 8(%rsp), %rdx
  movabs $0x1122334455667788, %rcx
  movq $-1, 16(%rsp)
  movw $5, (%rax)
  testb $1, 3(%rdi)
  testl $100000, %eax
  imul $1000, %rax, %r8
  shl $3, %r9
  xorps %xmm0, %xmm0
  movups %xmm0, 32(%rsp)
  pshufd $0x4e, %xmm1, %xmm2
  vmovups %ymm0, (%rsp)
  vpalignr $8, %ymm1, %ymm2, %ymm3
  vzeroupper
  cmovne %rax, %rbx
  sete %al
  movzbl %al, %eax
  bt $3, %eax
  push $0x1000
  push %rbp
  nopw 0x0(%rax,%rax,1)
  call inmem_test_calls
inmem_test_first:
  mov %eax, %edi
  call inmem_test_calls
inmem_test_second:
inmem_test_branch:
  test %eax, %eax
  je 1f
1:
  call inmem_test_calls
inmem_test_behind_branch:
inmem_test_indirect:
  mov (%rdi), %rax
  call *0x10(%rax)
inmem_test_after_indirect:
inmem_test_jump:
  jmp *%rax
  call inmem_test_calls
inmem_test_after_jump:
  ret
)");

TEST(Instructions, KnowsInstructionsBeforeACall) {
  EXPECT_TRUE(leadsToCall(at(inmem_test_calls), at(inmem_test_first)));
  EXPECT_TRUE(leadsToCall(at(inmem_test_first), at(inmem_test_second)));
  EXPECT_TRUE(
      leadsToCall(at(inmem_test_indirect), at(inmem_test_after_indirect)));
}

TEST(Instructions, TakesNoOtherCall) {
  // The first call is another one; a branch may lead elsewhere; a jump does.
  EXPECT_FALSE(leadsToCall(at(inmem_test_calls), at(inmem_test_second)));
  EXPECT_FALSE(
      leadsToCall(at(inmem_test_branch), at(inmem_test_behind_branch)));
  EXPECT_FALSE(leadsToCall(at(inmem_test_jump), at(inmem_test_after_jump)));
  // Not at the end of an instruction, or backwards.
  EXPECT_FALSE(leadsToCall(at(inmem_test_calls), at(inmem_test_first) - 1));
  EXPECT_FALSE(leadsToCall(at(inmem_test_first), at(inmem_test_first)));
  EXPECT_FALSE(leadsToCall(at(inmem_test_second), at(inmem_test_first)));
}

// Functions that are only read, each up to the next one.
// NOLINTBEGIN(readability-identifier-naming): the assembler's names
extern "C" const char inmem_test_fixed[], inmem_test_pushes[],
    inmem_test_no_frame[], inmem_test_allocas[], inmem_test_subtracts[],
    inmem_test_aligns[], inmem_test_pops[], inmem_test_parts[],
    inmem_test_unknown[], inmem_test_frames_end[];
// NOLINTEND(readability-identifier-naming)
__asm__(R"(
  .text
inmem_test_fixed:
  endbr64
  push %rbp
  mov %rsp, %rbp
  push %r12
  sub $0x1000, %rsp
  mov %rsp, %rax
  cmp %rax, %rsp
  mov 8(%rsp), %r12
  mov %r12, (%rsp)
  lea 16(%rsp), %rdi
  sub %rdi, %rax
  mov %rax, %r12
  test %rax, %rax
  jne 1f
  call inmem_test_calls
1:
  cmpl $7, (%rsp)
  ja 1b
  lea -8(%rbp), %rsp
  pop %r12
  leave
  ret
inmem_test_pushes:
  push %rbp
  mov %rsp, %rbp
  sub $8, %rsp
  push $3
  push 16(%rbp)
  call inmem_test_calls
  add $16, %rsp
  jmp *%rax
  nopw 0x0(%rax,%rax,1)
inmem_test_no_frame:
  push %rbx
  mov %rsp, %rbx
  pop %rbx
  ret
inmem_test_allocas:
  push %rbp
  mov %rsp, %rbp
  mov %rsp, %rax
  sub %rdi, %rax
  mov %rax, %rsp
  call inmem_test_calls
  leave
  ret
inmem_test_subtracts:
  push %rbp
  mov %rsp, %rbp
  sub %rdi, %rsp
  call inmem_test_calls
  leave
  ret
inmem_test_aligns:
  push %rbp
  mov %rsp, %rbp
  and $-64, %rsp
  sub $0x100, %rsp
  call inmem_test_calls
  leave
  ret
inmem_test_pops:
  push %rbp
  mov %rsp, %rbp
  pop %rsp
  leave
  ret
inmem_test_parts:
  push %rbp
  mov %rsp, %rbp
  test %edi, %edi
  je inmem_test_fixed
  call inmem_test_calls
  leave
  ret
inmem_test_unknown:
  push %rbp
  mov %rsp, %rbp
  .byte 0x06
  leave
  ret
inmem_test_frames_end:
)");

static bool isFixed(const char *Function, const char *Next) {
  return hasFixedFrame(at(Function), at(Next));
}

TEST(Instructions, KnowsFramesThatAreAsLargeInAllCalls) {
  EXPECT_TRUE(isFixed(inmem_test_fixed, inmem_test_pushes));
  EXPECT_TRUE(isFixed(inmem_test_pushes, inmem_test_no_frame));
}

TEST(Instructions, TakesNoOtherFrame) {
  EXPECT_FALSE(isFixed(inmem_test_no_frame, inmem_test_allocas));
  EXPECT_FALSE(isFixed(inmem_test_allocas, inmem_test_subtracts));
  EXPECT_FALSE(isFixed(inmem_test_subtracts, inmem_test_aligns));
  EXPECT_FALSE(isFixed(inmem_test_aligns, inmem_test_pops));
  EXPECT_FALSE(isFixed(inmem_test_pops, inmem_test_parts));
  // Where it may go on out of sight, or is not understood.
  EXPECT_FALSE(isFixed(inmem_test_parts, inmem_test_unknown));
  EXPECT_FALSE(isFixed(inmem_test_unknown, inmem_test_frames_end));
  EXPECT_FALSE(isFixed(inmem_test_fixed, inmem_test_fixed));
}
#elif defined(__aarch64__)
// Code that is only read. Return is where the named call returns to.
// NOLINTBEGIN(readability-identifier-naming): the assembler's names
extern "C" const char inmem_test_calls[], inmem_test_first[],
    inmem_test_second[], inmem_test_indirect[], inmem_test_signed[],
    inmem_test_branches[], inmem_test_behind_branches[];
// NOLINTEND(readability-identifier-naming)
__asm__(R"(
  .text
inmem_test_calls:
  mov x0, x19
  ldp x1, x2, [x19, #16]
  adrp x3, inmem_test_calls
  nop
  mrs x4, tpidr_el0
  ldr d0, [x4]
  fmov x5, d0
  csel x6, x5, x4, ne
  dmb ish
  bl inmem_test_calls
inmem_test_first:
  mov w0, w1
  bl inmem_test_calls
inmem_test_second:
  ldr x8, [x0]
  blr x8
inmem_test_indirect:
  .inst 0xd73f0901 // blraa x8, x1
inmem_test_signed:
inmem_test_branches:
  b 1f
1:
  bl inmem_test_calls
  b.eq 1b
  bl inmem_test_calls
  cbz x0, 1b
  bl inmem_test_calls
  tbnz x0, #3, 1b
  bl inmem_test_calls
  br x0
  bl inmem_test_calls
  ret
  bl inmem_test_calls
  brk #1
  bl inmem_test_calls
inmem_test_behind_branches:
)");

TEST(Instructions, KnowsInstructionsBeforeACall) {
  EXPECT_TRUE(leadsToCall(at(inmem_test_calls), at(inmem_test_first)));
  EXPECT_TRUE(leadsToCall(at(inmem_test_first), at(inmem_test_second)));
  EXPECT_TRUE(leadsToCall(at(inmem_test_second), at(inmem_test_indirect)));
  EXPECT_TRUE(leadsToCall(at(inmem_test_indirect), at(inmem_test_signed)));
}

TEST(Instructions, TakesNoOtherCall) {
  EXPECT_FALSE(leadsToCall(at(inmem_test_calls), at(inmem_test_second)));
  EXPECT_FALSE(leadsToCall(at(inmem_test_first), at(inmem_test_first)));
  // A branch and a call, in turn.
  for (uintptr_t Code = at(inmem_test_branches);
       Code < at(inmem_test_behind_branches); Code += 8)
    EXPECT_FALSE(leadsToCall(Code, Code + 8)) << Code;
}
#endif

// Functions that are one jump, and some that are not.
// NOLINTBEGIN(readability-identifier-naming): the assembler's names
extern "C" const char inmem_test_target[], inmem_test_jumps[],
    inmem_test_lands_and_jumps[], inmem_test_moves_and_jumps[];
// NOLINTEND(readability-identifier-naming)
#if defined(__x86_64__)
#define INMEM_TEST_JUMP ".byte 0xe9\n .long inmem_test_target - . - 4\n"
#define INMEM_TEST_LANDING "endbr64\n"
#define INMEM_TEST_MOVE "mov %rdi, %rdx\n"
#else
#define INMEM_TEST_JUMP "b inmem_test_target\n"
#define INMEM_TEST_LANDING "hint #34\n" // bti c
#define INMEM_TEST_MOVE "mov x2, x0\n"
#endif
__asm__(".text\n.balign 8\n"
        "inmem_test_jumps: " INMEM_TEST_JUMP
        "inmem_test_target: nop\n.balign 8\n"
        "inmem_test_lands_and_jumps: " INMEM_TEST_LANDING INMEM_TEST_JUMP
        ".balign 8\n"
        "inmem_test_moves_and_jumps: " INMEM_TEST_MOVE INMEM_TEST_JUMP);

TEST(CalledAddress, AJumpIsToOneTarget) {
  const uintptr_t Target = at(inmem_test_target);
  EXPECT_TRUE(isJump(at(inmem_test_jumps), Target));
  EXPECT_TRUE(isJump(at(inmem_test_lands_and_jumps), Target));
  EXPECT_FALSE(isJump(at(inmem_test_jumps), Target + 4));
  EXPECT_FALSE(isJump(at(inmem_test_moves_and_jumps), Target));
  EXPECT_FALSE(isJump(Target, Target));
  EXPECT_FALSE(isJump(16, Target)) << "which cannot be read";
}
