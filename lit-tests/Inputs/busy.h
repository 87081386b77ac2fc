// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// busy.h - takes so many seconds of CPU time, for samples to show: nearly all of it here, not in clock().
#ifndef INMEM_LIT_INPUTS_BUSY_H
#define INMEM_LIT_INPUTS_BUSY_H

#include <ctime>

[[gnu::noinline]] static double busy(double Seconds) {
  double Sum = 0;
  const clock_t End = clock() + static_cast<clock_t>(Seconds * CLOCKS_PER_SEC);
  while (clock() < End)
    for (int I = 0; I < 300000; ++I)
      Sum += I * 0.5;
  return Sum;
}

#endif
