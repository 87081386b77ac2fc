// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* clock.c - what one reading of the processor's counter costs here: twice that
 * is the least that clock=exact adds to a pair. Prints `ns_per_pair N` for two
 * readings. */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

static uint64_t ticks(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t Value;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(Value));
  return Value;
#else
  return 0;
#endif
}

static double threadCpuNs(void) {
  struct timespec Now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &Now);
  return (double)Now.tv_sec * 1e9 + (double)Now.tv_nsec;
}

int main(void) {
  enum { kPairs = 2000000 };
  volatile uint64_t Sum = 0;
  double Start = threadCpuNs();
  for (int I = 0; I < kPairs; ++I)
    Sum += ticks() ^ ticks();
  printf("ns_per_pair %.4f\n", (threadCpuNs() - Start) / kPairs);
  return 0;
}
