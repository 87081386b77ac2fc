//===- HardwareClock.h - The hardware clock that times lifetimes ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rdtsc on x86-64 (if invariant), cntvct_el0 on AArch64, CLOCK_MONOTONIC if
// neither is usable. The clock is read at both ends of a lifetime and never
// cached (docs/design/tried.md: cheaper clocks were tried and cannot bound the
// error).
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_HARDWARECLOCK_H
#define INMEM_RUNTIME_HARDWARECLOCK_H

#include "platform/Clocks.h"
#include "platform/Compiler.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace inmem::rt {

/// Trace ticks are hardware ticks >> kTickShift: 55 ns at 2.3 GHz, so that 37
/// bits of birth reach two hours.
inline constexpr unsigned kTickShift = 7;

#if defined(__aarch64__)
/// Scales the counter (1 MHz to 1 GHz) to the order of magnitude of x86's, so
/// that one kTickShift serves both. Set before the first reading.
inline uint32_t ClockScale = 0;
#endif

/// Call once, before the first reading.
inline void prepareHardwareClock() {
#if defined(__aarch64__)
  uint64_t Hertz;
  __asm__("mrs %0, cntfrq_el0" : "=r"(Hertz));
  uint32_t Scale = 0;
  while (Hertz && Hertz << Scale < 1000000000u)
    ++Scale;
  ClockScale = Scale;
#endif
}

/// True if the counter runs at one rate on all cores and in all power states.
inline bool hardwareClockIsInvariant() {
#if defined(__x86_64__)
  unsigned A, B, C, D;
  return __get_cpuid(0x80000007u, &A, &B, &C, &D) && (D & (1u << 8));
#elif defined(__aarch64__)
  return true; // architected: constant rate, synchronised
#else
  return false;
#endif
}

INMEM_INLINE uint64_t hardwareTicks() {
#if defined(__x86_64__)
  // The builtin, because including x86intrin.h would take most of each unit's
  // compile time.
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t Ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(Ticks));
  return Ticks << ClockScale;
#else
  return monotonicNs();
#endif
}

} // namespace inmem::rt

#endif
