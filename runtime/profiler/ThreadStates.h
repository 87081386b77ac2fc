//===- ThreadStates.h - What a thread waits for, by the kernel's word -----===//
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
/// Whether what the thread waits in may take a signal that it blocks, as
/// sigwait() does, or read() of a signalfd. No: it surely does not.
bool mayTakeSignals(const ThreadStateNow &S);
/// Whether the thread blocks \p Signal.
bool blocksSignal(uint32_t Tid, int Signal);
/// Whether it was sent to that thread, which has not yet taken it.
bool hasPendingSignal(uint32_t Tid, int Signal);

/// What a system call waits for: the path of a descriptor, a lock's place, or
/// nothing (""). \returns a text in \p Into.
const char *targetOf(const ThreadStateNow &S, char *Into, size_t Room);

} // namespace inmem::rt

#endif
