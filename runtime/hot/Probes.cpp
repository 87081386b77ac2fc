//===- Probes.cpp ---------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hot/Probes.h"

// A note is: its address, that of .stapsdt.base (by which a listener finds out
// how far prelink moved the file), that of a semaphore (none), provider, name
// and arguments. Version 3 of the format.
#define INMEM_PROBE(Name, Arguments)                                           \
  "990: nop\n"                                                                 \
  ".pushsection .note.stapsdt,\"\",\"note\"\n"                                 \
  ".balign 4\n"                                                                \
  ".4byte 992f-991f, 994f-993f, 3\n"                                           \
  "991: .asciz \"stapsdt\"\n"                                                  \
  "992: .balign 4\n"                                                           \
  "993: .8byte 990b\n"                                                         \
  ".8byte _.stapsdt.base\n"                                                    \
  ".8byte 0\n"                                                                 \
  ".asciz \"otel_memory\"\n"                                                   \
  ".asciz \"" Name "\"\n"                                                      \
  ".asciz \"" Arguments "\"\n"                                                 \
  "994: .balign 4\n"                                                           \
  ".popsection\n"                                                              \
  ".ifndef _.stapsdt.base\n"                                                   \
  ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"      \
  ".weak _.stapsdt.base\n"                                                     \
  ".hidden _.stapsdt.base\n"                                                   \
  "_.stapsdt.base: .space 1\n"                                                 \
  ".size _.stapsdt.base, 1\n"                                                  \
  ".popsection\n"                                                              \
  ".endif\n"

#if defined(__x86_64__)
#define INMEM_FIRST "rdi"
#define INMEM_SECOND "rsi"
#define INMEM_THIRD "rdx"
#define INMEM_REGISTER(Name) "%%" Name
#else
#define INMEM_FIRST "x0"
#define INMEM_SECOND "x1"
#define INMEM_THIRD "x2"
#define INMEM_REGISTER(Name) Name
#endif

namespace inmem::rt {

// Functions of their own: a listener that walks the stack begins in one with
// nothing in its frame, and there is one place of each probe.
__attribute__((noinline)) void probeAllocation(const void *P, uint64_t Size,
                                               uint64_t Weight) {
  register const void *First __asm__(INMEM_FIRST) = P;
  register uint64_t Second __asm__(INMEM_SECOND) = Size;
  register uint64_t Third __asm__(INMEM_THIRD) = Weight;
  __asm__ volatile(
      INMEM_PROBE("alloc",
                  "8@" INMEM_REGISTER(INMEM_FIRST) " 8@" INMEM_REGISTER(
                      INMEM_SECOND) " 8@" INMEM_REGISTER(INMEM_THIRD))
      :
      : "r"(First), "r"(Second), "r"(Third)
      : "memory");
}

__attribute__((noinline)) void probeFree(const void *P) {
  register const void *First __asm__(INMEM_FIRST) = P;
  __asm__ volatile(INMEM_PROBE("free", "8@" INMEM_REGISTER(INMEM_FIRST))
                   :
                   : "r"(First)
                   : "memory");
}

} // namespace inmem::rt
