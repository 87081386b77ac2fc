//===- Clocks.cpp ---------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/Clocks.h"

#include "platform/CpuClock.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace inmem::rt {

static uint64_t toNs(const struct timespec &T) {
  return static_cast<uint64_t>(T.tv_sec) * 1000000000u +
         static_cast<uint64_t>(T.tv_nsec);
}

uint64_t realtimeNs() {
  struct timespec T = {};
  syscall(SYS_clock_gettime, CLOCK_REALTIME, &T);
  return toNs(T);
}

uint64_t monotonicNs() {
  struct timespec T;
  clock_gettime(CLOCK_MONOTONIC, &T);
  return toNs(T);
}

bool cpuTimeOf(uint32_t Tid, uint64_t &Ns) {
  struct timespec T;
  if (syscall(SYS_clock_gettime, cpuClockOf(Tid), &T) != 0)
    return false;
  Ns = toNs(T);
  return true;
}

void sleepNs(uint64_t Ns) {
  const struct timespec Wait = timespecOf(Ns);
  syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &Wait, nullptr);
}

} // namespace inmem::rt
