// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pair.h - what the pair programs share: the command line, the timing, the
// result.
//
// A pair is one allocation and its free. Each program is `NAME PAIRS`: it runs
// a tenth of the pairs untimed (sites and threads set up, thinning begun), then
// all of them, and prints `ns_per_pair N`. Time is the CPU time of the thread
// that ran them, so that other programs on the machine do not count.
#ifndef INMEM_BENCH_PAIR_H
#define INMEM_BENCH_PAIR_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <time.h>

namespace bench {

/// Makes the compiler believe that \p P is used and its memory read and
/// written.
template <class T> inline void keep(T *&P) {
  asm volatile("" : "+r"(P) : : "memory");
}

inline double threadCpuNs() {
  timespec Now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &Now);
  return static_cast<double>(Now.tv_sec) * 1e9 +
         static_cast<double>(Now.tv_nsec);
}

/// xorshift32 (Marsaglia 2003): cheap, the same numbers in every run.
struct Random {
  uint32_t State = 2463534242u;
  uint32_t next() {
    State ^= State << 13;
    State ^= State >> 17;
    return State ^= State << 5;
  }
};

inline uint64_t pairsFrom(int Argc, char **Argv) {
  uint64_t Pairs = Argc > 1 ? std::strtoull(Argv[1], nullptr, 10) : 0;
  if (Pairs == 0) {
    std::fprintf(stderr, "usage: %s PAIRS\n", Argv[0]);
    std::exit(2);
  }
  return Pairs;
}

/// Runs \p Body, which takes the number of pairs wanted and returns the number
/// it made. \returns nanoseconds per pair
template <class Body> double nsPerPair(uint64_t Pairs, Body &&Run) {
  Run(Pairs / 10 + 1);
  double Start = threadCpuNs();
  uint64_t Made = Run(Pairs);
  return (threadCpuNs() - Start) / static_cast<double>(Made);
}

inline int print(double Ns) {
  std::printf("ns_per_pair %.4f\n", Ns);
  return 0;
}

} // namespace bench

#endif
