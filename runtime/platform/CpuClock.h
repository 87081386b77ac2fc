//===- CpuClock.h - Clock ids for the kernel's calls ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_CPUCLOCK_H
#define INMEM_RUNTIME_CPUCLOCK_H

#include <stdint.h>
#include <time.h>

namespace inmem::rt {

inline struct timespec timespecOf(uint64_t Ns) {
  return {static_cast<time_t>(Ns / 1000000000u),
          static_cast<long>(Ns % 1000000000u)};
}

/// The CPU-time clock of another thread: its id, complemented, above three bits
/// for the kind of clock (the kernel's MAKE_THREAD_CPUCLOCK).
inline clockid_t cpuClockOf(uint32_t Tid) {
  constexpr uint32_t kThread = 4, kScheduled = 2;
  return static_cast<clockid_t>(~Tid << 3 | kThread | kScheduled);
}

} // namespace inmem::rt

#endif
