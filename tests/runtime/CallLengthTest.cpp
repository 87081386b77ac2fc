//===- CallLengthTest.cpp - Which call code leads to ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stacks/CallLength.h"

#include <gtest/gtest.h>

using namespace inmem::rt;

#if defined(__x86_64__)
// Code that is only read. Return is where the named call returns to.
extern "C" const char inmem_test_calls[], inmem_test_first[],
    inmem_test_second[], inmem_test_branch[], inmem_test_behind_branch[],
    inmem_test_indirect[], inmem_test_after_indirect[], inmem_test_jump[],
    inmem_test_after_jump[];
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

static uintptr_t at(const char *Label) {
  return reinterpret_cast<uintptr_t>(Label);
}

TEST(CallLength, KnowsInstructionsBeforeACall) {
  EXPECT_TRUE(leadsToCall(at(inmem_test_calls), at(inmem_test_first)));
  EXPECT_TRUE(leadsToCall(at(inmem_test_first), at(inmem_test_second)));
  EXPECT_TRUE(
      leadsToCall(at(inmem_test_indirect), at(inmem_test_after_indirect)));
}

TEST(CallLength, TakesNoOtherCall) {
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
#endif
