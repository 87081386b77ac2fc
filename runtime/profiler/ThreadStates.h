//===- ThreadStates.h - A thread's wait, according to the kernel ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_THREADSTATES_H
#define INMEM_RUNTIME_THREADSTATES_H

#include <stddef.h>
#include <stdint.h>

namespace inmem::rt {

struct ThreadStateNow {
  bool Known;        ///< false: the kernel does not say
  bool Running;      ///< or ready to run
  int32_t Call;      ///< number of the system call; -1: waits in none
  uint64_t Argument; ///< the first one
  uintptr_t Sp, Pc;
};

ThreadStateNow stateOf(uint32_t Tid);
/// True if the call that the thread waits in may receive a signal that it
/// blocks, as sigwait() does, or read() of a signalfd. False only if it
/// certainly does not.
bool mayTakeSignals(const ThreadStateNow &S);
/// True if the thread blocks \p Signal.
bool blocksSignal(uint32_t Tid, int Signal);
/// True if it is pending for that thread.
bool hasPendingSignal(uint32_t Tid, int Signal);

/// The object that a system call waits for: a descriptor's path, a lock's
/// address, or nothing (""). \returns text in \p Into
const char *targetOf(const ThreadStateNow &S, char *Into, size_t Room);

} // namespace inmem::rt

#endif
