//===- CommandQueue.h - Checks for waiting commands -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `inmem ctl` writes commands to the trace, which both processes map
// (trace::CommandQueue), and lowers the limit of each thread's process cell.
// The hot path compares that limit anyway, so the thread's next event takes the
// slow path and executes the commands first (Snapshots.h). Waiting for
// commands thus needs no instruction, thread, signal or descriptor.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_COMMANDQUEUE_H
#define INMEM_RUNTIME_COMMANDQUEUE_H

#include "state/TraceFile.h"

namespace inmem::rt {

/// Returns true if commands wait. The process must be Ready.
INMEM_INLINE bool commandsWait() {
  const auto &Q =
      reinterpret_cast<const trace::FileHeader *>(TraceBase)->Commands;
  return __atomic_load_n(&Q.Given, __ATOMIC_ACQUIRE) !=
         __atomic_load_n(&Q.Obeyed, __ATOMIC_RELAXED);
}

/// Call after setting the cell's limit. Lowers it again if commands wait, so
/// that the thread's next event executes them.
void listenForCommands(trace::Cell *C);

} // namespace inmem::rt

#endif
