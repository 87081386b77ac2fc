//===- WaitingCommands.h - Executes commands from outside -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes the commands that `inmem ctl` puts into the trace, or that signals
// give. hot/CommandQueue.h says how a thread notices them.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_WAITINGCOMMANDS_H
#define INMEM_RUNTIME_WAITINGCOMMANDS_H

namespace inmem::rt {

/// Executes waiting commands. The process must be Ready. With the guard,
/// without the mutex.
void executeCommands();
/// As executeCommands(), with the mutex.
void executeCommandsLocked();

/// Called by the runtime's own threads whenever they wake: executes commands
/// that no thread of an idle program gets to, up to the first one about
/// profiles. Without the mutex; looks at most every 20 ms.
void executeForIdle();

/// Switches recording for all threads and updates the header. With the mutex.
void setRecording(bool On);

/// Installs handlers for the signals that give commands (signals=). With the
/// mutex.
void listenToSignals();
/// Removes those handlers, unless the program has replaced them.
void stopListeningToSignals();

} // namespace inmem::rt

#endif
