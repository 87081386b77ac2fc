/*===- Replaced.c - Calling an operator that the program replaced ---------===
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What such an operator allocates to do its work is its own business: the
 * block that it returns is the one that counts. It may throw std::bad_alloc,
 * and recording must go on afterwards, so this one file is compiled with
 * -fexceptions, in C, whose personality routine needs no C++ library.
 *
 *===----------------------------------------------------------------------===*/
#include <stddef.h>
#include <stdint.h>

/* isForwarded (Allocator.h) and wayFromOperator (Unwind.h) look for it here. An
 * operator's malloc is the process's; what a malloc calls is the next one. */
#define INMEM_CALLS __attribute__((section("inmem_replaced")))
#define INMEM_CALLS_OWN __attribute__((section("inmem_called")))

/* inmem::rt::OuterOperator (ThreadState.h), filled by the one and read by the
 * other. */
struct inmem_outer {
  uintptr_t Words[6];
};
void inmem_enter_operator(struct inmem_outer *Outer, uintptr_t Frame,
                          uintptr_t Return);
void inmem_leave_operator(const struct inmem_outer *Outer);

#if !defined(__GLIBC__) || defined(INMEM_STATIC)
/* Present wherever an exception can be thrown: a program in C has neither. */
__asm__(".weak _Unwind_Resume\n.weak __gcc_personality_v0");
#endif

/* Frame and return address are adjacent: a frame pointer leads to both. */
#define INMEM_IN_OPERATOR                                                      \
  __attribute__((cleanup(inmem_leave_operator))) struct inmem_outer Outer;     \
  inmem_enter_operator(&Outer, (uintptr_t)__builtin_frame_address(0),          \
                       (uintptr_t)__builtin_return_address(0))

INMEM_CALLS void *
inmem_call_replaced_new(void *(*Operator)(size_t, uintptr_t, const void *),
                        size_t Size, uintptr_t Second, const void *Third) {
  INMEM_IN_OPERATOR;
  return Operator(Size, Second, Third);
}

INMEM_CALLS void
inmem_call_replaced_delete(void (*Operator)(void *, uintptr_t, uintptr_t),
                           void *Block, uintptr_t Second, uintptr_t Third) {
  INMEM_IN_OPERATOR;
  Operator(Block, Second, Third);
}

INMEM_CALLS_OWN void *
inmem_call_own(void *(*Function)(size_t, uintptr_t, const void *), size_t First,
               uintptr_t Second, const void *Third) {
  INMEM_IN_OPERATOR;
  return Function(First, Second, Third);
}
