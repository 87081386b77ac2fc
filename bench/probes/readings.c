// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* readings.c - linked into a bare program: every allocation and every free
 * reads the processor's counter once and does nothing else with it. What that
 * costs is the machine's share of clock=exact: besides the reading itself, on
 * some processors it waits for loads that are under way. */
#include <stddef.h>
#include <stdint.h>

void *__libc_malloc(size_t Size);
void *__libc_calloc(size_t Count, size_t Size);
void *__libc_realloc(void *P, size_t Size);
void __libc_free(void *P);

static __thread uint64_t Last;

static inline void readClock(void) {
#if defined(__x86_64__)
  Last = __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(Last));
#endif
}

void *malloc(size_t Size) {
  void *P = __libc_malloc(Size);
  readClock();
  return P;
}

void *calloc(size_t Count, size_t Size) {
  void *P = __libc_calloc(Count, Size);
  readClock();
  return P;
}

void *realloc(void *P, size_t Size) {
  if (P)
    readClock();
  P = __libc_realloc(P, Size);
  readClock();
  return P;
}

void free(void *P) {
  readClock();
  __libc_free(P);
}
