//===- Clocks.h - The system's time ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_CLOCKS_H
#define INMEM_RUNTIME_CLOCKS_H

#include <stdint.h>

namespace inmem::rt {

/// Usable even if the processor's clock must not be read (process/Sandbox.cpp):
/// a system call, not the vDSO.
uint64_t realtimeNs();
uint64_t monotonicNs();
/// CPU time of a thread of this process; false if it has ended.
bool cpuTimeOf(uint32_t Tid, uint64_t &Ns);
/// Sleeps for this time, or until a signal.
void sleepNs(uint64_t Ns);

} // namespace inmem::rt

#endif
