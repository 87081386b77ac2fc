/*===- Replaced.c - Calling an operator that the program replaced ---------===
 *
 * What such an operator allocates to do its work is its own business: the
 * block that it returns is the one that counts. It may throw std::bad_alloc,
 * and recording must go on afterwards, so this one file is compiled with
 * -fexceptions, in C, whose personality routine needs no C++ library.
 *
 *===----------------------------------------------------------------------===*/
#include <stddef.h>
#include <stdint.h>

/* Where isHandedOn (Allocator.h) looks for it. */
#define INMEM_CALLS __attribute__((section("inmem_replaced")))

void inmem_suspend_thread(void);
void inmem_resume_thread(int *);

INMEM_CALLS void *inmem_call_replaced_new(void *(*Operator)(size_t, uintptr_t,
                                                const void *),
                              size_t Size, uintptr_t Second,
                              const void *Third) {
  __attribute__((cleanup(inmem_resume_thread), unused)) int Scope = 0;
  inmem_suspend_thread();
  return Operator(Size, Second, Third);
}

INMEM_CALLS void inmem_call_replaced_delete(void (*Operator)(void *, uintptr_t, uintptr_t),
                                void *Block, uintptr_t Second,
                                uintptr_t Third) {
  __attribute__((cleanup(inmem_resume_thread), unused)) int Scope = 0;
  inmem_suspend_thread();
  Operator(Block, Second, Third);
}
