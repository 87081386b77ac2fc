//===- ReturnedBlockTest.cpp - Which functions are allocation wrappers ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unwind/Instructions.h"

#include <gtest/gtest.h>

using namespace inmem::rt;

// Functions that are only read, each from its name to the next one; the call
// that allocates ends at the name with _at.
// NOLINTBEGIN(readability-identifier-naming): the assembler's names
#define INMEM_TEST_CASES(X)                                                    \
  X(whole)                                                                     \
  X(saved)                                                                     \
  X(spilled)                                                                   \
  X(either)                                                                    \
  X(second)                                                                    \
  X(pushed)                                                                    \
  X(counted)                                                                   \
  X(constant)                                                                  \
  X(one)                                                                       \
  X(stored)                                                                    \
  X(object)                                                                    \
  X(other)                                                                     \
  X(inside)                                                                    \
  X(forever)                                                                   \
  X(meeting)                                                                   \
  X(end)
#define INMEM_DECLARE(Name)                                                    \
  extern "C" const char inmem_block_##Name[], inmem_block_##Name##_at[];
INMEM_TEST_CASES(INMEM_DECLARE)
// NOLINTEND(readability-identifier-naming)

#if defined(__x86_64__)
__asm__(R"(
  .text
inmem_block_whole:                   # if (!(p = f(n))) die(); return p;
  sub $8, %rsp
  call inmem_block_end
inmem_block_whole_at:
  test %rax, %rax
  je 1f
  add $8, %rsp
  ret
1:
  ud2
inmem_block_saved:                   # another call in between
  push %rbx
  call inmem_block_end
inmem_block_saved_at:
  mov %rax, %rbx
  xor %edi, %edi
  call inmem_block_end
  setne %cl
  nop
  mov %rbx, %rax
  pop %rbx
  ret
inmem_block_spilled:                 # without optimisation
  push %rbp
  mov %rsp, %rbp
  sub $32, %rsp
  mov %rdi, -24(%rbp)
  call inmem_block_end
inmem_block_spilled_at:
  mov %rax, -8(%rbp)
  cmpq $0, -8(%rbp)
  jne 1f
  mov $0, %eax
  jmp 2f
1:
  mov -8(%rbp), %rax
2:
  leave
  ret
inmem_block_either:                  # p ? p : q
  call inmem_block_end
inmem_block_either_at:
  test %rax, %rax
  mov $0, %edx
  cmove %rdx, %rax
  ret
inmem_block_second:                  # if (!p && !n) p = f(1)
  push %rbx
  mov %rdi, %rbx
  call inmem_block_end
inmem_block_second_at:
  test %rax, %rax
  jne 1f
  test %rbx, %rbx
  jne 1f
  mov $1, %edi
  call inmem_block_end
1:
  pop %rbx
  ret
inmem_block_pushed:
  call inmem_block_end
inmem_block_pushed_at:
  push %rax
  xor %eax, %eax
  pop %rax
  ret
inmem_block_counted:                 # a counter of all threads
  push %rbx
  call inmem_block_end
inmem_block_counted_at:
  mov %rax, %rbx
  mov $1, %eax
  lock xadd %rax, 8(%rsp)
  lock add %rax, 8(%rsp)
  mov %rbx, %rax
  pop %rbx
  ret
inmem_block_constant:
  mov $48, %edi
  call inmem_block_end
inmem_block_constant_at:
  ret
inmem_block_one:                     # f(1, n)
  mov %rdi, %rsi
  mov $1, %edi
  call inmem_block_end
inmem_block_one_at:
  ret
inmem_block_stored:
  call inmem_block_end
inmem_block_stored_at:
  movl $1, 8(%rax)
  ret
inmem_block_object:                  # construct(p)
  push %rbx
  call inmem_block_end
inmem_block_object_at:
  mov %rax, %rbx
  mov %rax, %rdi
  call inmem_block_end
  mov %rbx, %rax
  pop %rbx
  ret
inmem_block_other:
  call inmem_block_end
inmem_block_other_at:
  mov %rax, 8(%rdi)
  mov %rdi, %rax
  ret
inmem_block_inside:                  # behind a header
  call inmem_block_end
inmem_block_inside_at:
  add $16, %rax
  ret
inmem_block_forever:
  call inmem_block_end
inmem_block_forever_at:
1:
  jmp 1b
inmem_block_meeting:                 # with the block in one slot or another
  call inmem_block_end
inmem_block_meeting_at:
  test %rbx, %rbx
  je 1f
  mov %rax, -8(%rbp)
  xor %eax, %eax
  test %rcx, %rcx
  je 2f
  ret
1:
  mov %rax, -16(%rbp)
  xor %eax, %eax
  test %rcx, %rcx
  je 2f
  ret
2:
  mov -16(%rbp), %rax
  ret
inmem_block_end:
  nop
inmem_block_end_at:
)");
#else
__asm__(R"(
  .text
inmem_block_whole:
  stp x29, x30, [sp, #-16]!
  bl inmem_block_end
inmem_block_whole_at:
  cbz x0, 1f
  ldp x29, x30, [sp], #16
  ret
1:
  brk #1
inmem_block_saved:
  stp x29, x30, [sp, #-32]!
  mov x29, sp
  str x19, [sp, #16]
  bl inmem_block_end
inmem_block_saved_at:
  mov x19, x0
  mov x0, #0
  bl inmem_block_end
  mov x0, x19
  ldr x19, [sp, #16]
  ldp x29, x30, [sp], #32
  ret
inmem_block_spilled:
  stp x29, x30, [sp, #-48]!
  mov x29, sp
  str x0, [sp, #24]
  bl inmem_block_end
inmem_block_spilled_at:
  str x0, [sp, #40]
  ldr x0, [sp, #40]
  cmp x0, #0
  b.ne 1f
  mov x0, #0
  b 2f
1:
  ldr x0, [sp, #40]
2:
  ldp x29, x30, [sp], #48
  ret
inmem_block_either:
  bl inmem_block_end
inmem_block_either_at:
  cmp x0, #0
  csel x0, x0, x1, ne
  ret
inmem_block_second:
  bl inmem_block_end
inmem_block_second_at:
  cbnz x0, 1f
  cbnz x19, 1f
  mov w0, #1
  bl inmem_block_end
1:
  ret
inmem_block_pushed:
  bl inmem_block_end
inmem_block_pushed_at:
  str x0, [sp, #-16]!
  mov x0, #0
  ldr x0, [sp], #16
  ret
inmem_block_counted:
  bl inmem_block_end
inmem_block_counted_at:
  mov x19, x0
1:
  ldxr x2, [x1]
  add x2, x2, #1
  stxr w3, x2, [x1]
  cbnz w3, 1b
  mov x0, x19
  ret
inmem_block_constant:
  mov w0, #48
  bl inmem_block_end
inmem_block_constant_at:
  ret
inmem_block_one:
  mov x1, x0
  mov w0, #1
  bl inmem_block_end
inmem_block_one_at:
  ret
inmem_block_stored:
  bl inmem_block_end
inmem_block_stored_at:
  str w1, [x0, #8]
  ret
inmem_block_object:
  bl inmem_block_end
inmem_block_object_at:
  mov x19, x0
  bl inmem_block_end
  mov x0, x19
  ret
inmem_block_other:
  bl inmem_block_end
inmem_block_other_at:
  str x0, [x19, #8]
  mov x0, x19
  ret
inmem_block_inside:
  bl inmem_block_end
inmem_block_inside_at:
  add x0, x0, #16
  ret
inmem_block_forever:
  bl inmem_block_end
inmem_block_forever_at:
1:
  b 1b
inmem_block_meeting:
  bl inmem_block_end
inmem_block_meeting_at:
  cbz x19, 1f
  str x0, [sp, #8]
  mov x0, #0
  cbz x1, 2f
  ret
1:
  str x0, [sp, #16]
  mov x0, #0
  cbz x1, 2f
  ret
2:
  ldr x0, [sp, #16]
  ret
inmem_block_end:
  nop
inmem_block_end_at:
)");
#endif

static ReturnedBlock follow(const char *Start, const char *Return,
                            const char *End) {
  return followBlock(reinterpret_cast<uintptr_t>(Return),
                     reinterpret_cast<uintptr_t>(Start),
                     reinterpret_cast<uintptr_t>(End));
}
#define INMEM_FOLLOW(Name, Next)                                               \
  follow(inmem_block_##Name, inmem_block_##Name##_at, inmem_block_##Next)

TEST(ReturnedBlock, IsTheResultAlongSomePath) {
  EXPECT_TRUE(INMEM_FOLLOW(whole, saved).IsReturned);
  EXPECT_TRUE(INMEM_FOLLOW(saved, spilled).IsReturned);
  EXPECT_TRUE(INMEM_FOLLOW(spilled, either).IsReturned);
  EXPECT_TRUE(INMEM_FOLLOW(either, second).IsReturned);
  EXPECT_TRUE(INMEM_FOLLOW(second, pushed).IsReturned);
  EXPECT_TRUE(INMEM_FOLLOW(pushed, counted).IsReturned);
  EXPECT_TRUE(INMEM_FOLLOW(counted, constant).IsReturned);
  EXPECT_TRUE(INMEM_FOLLOW(meeting, end).IsReturned);
}

TEST(ReturnedBlock, HasConstantSizeIfAllSizesOfTheCallAre) {
  EXPECT_TRUE(INMEM_FOLLOW(constant, one).HasConstantSize);
  EXPECT_TRUE(INMEM_FOLLOW(constant, one).IsReturned);
  EXPECT_FALSE(INMEM_FOLLOW(one, stored).HasConstantSize);
  EXPECT_TRUE(INMEM_FOLLOW(one, stored).IsReturned);
  EXPECT_FALSE(INMEM_FOLLOW(whole, saved).HasConstantSize);
  EXPECT_FALSE(INMEM_FOLLOW(second, pushed).HasConstantSize);
}

TEST(ReturnedBlock, IsNotTheResultOfFunctionsThatMakeAnObjectOrReturnAnother) {
  EXPECT_FALSE(INMEM_FOLLOW(stored, object).IsReturned);
  EXPECT_FALSE(INMEM_FOLLOW(object, other).IsReturned);
  EXPECT_FALSE(INMEM_FOLLOW(other, inside).IsReturned);
  EXPECT_FALSE(INMEM_FOLLOW(inside, forever).IsReturned);
  EXPECT_FALSE(INMEM_FOLLOW(forever, meeting).IsReturned);
}

TEST(ReturnedBlock, IsMadeByFunctionsThatReturnAnObject) {
  EXPECT_TRUE(INMEM_FOLLOW(stored, object).IsMade);
  EXPECT_TRUE(INMEM_FOLLOW(object, other).IsMade);
  EXPECT_TRUE(INMEM_FOLLOW(inside, forever).IsMade);
  EXPECT_FALSE(INMEM_FOLLOW(other, inside).IsMade);
  EXPECT_FALSE(INMEM_FOLLOW(forever, meeting).IsMade);
  EXPECT_FALSE(INMEM_FOLLOW(whole, saved).IsMade);
}

TEST(ReturnedBlock, IsNotKnownOutsideOfAFunction) {
  EXPECT_FALSE(follow(inmem_block_whole, inmem_block_whole, inmem_block_saved)
                   .IsReturned);
  EXPECT_FALSE(
      follow(inmem_block_saved, inmem_block_whole_at, inmem_block_spilled)
          .IsReturned);
  EXPECT_FALSE(
      follow(inmem_block_whole, inmem_block_whole_at, inmem_block_whole_at)
          .IsReturned);
}
