//===- Snapshots.h - Totals at a moment, and commands that wait -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Serves periodic=, resets and phases. A snapshot holds one row per site, all
// threads added up, in the same form as the running rows (Format.h).
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_SNAPSHOTS_H
#define INMEM_RUNTIME_SNAPSHOTS_H

#include "state/ThreadState.h"
#include "trace/format/Format.h"

namespace inmem::rt {

/// \returns the snapshot's sequence number, or 0 without room. Needs the mutex.
/// \p UnixNs: the time of the request if nothing has happened since; else 0.
uint64_t takeSnapshot(trace::SnapshotKind Kind, uint64_t UnixNs = 0);

/// takeSnapshot() under a name, which is copied. Begins a phase of the run, or
/// just names the snapshot.
void takeNamedSnapshot(const char *Name, bool BeginsPhase, uint64_t UnixNs = 0);

/// Starts the thread for periodic summaries if requested and not running. Needs
/// the guard, without the mutex.
void startSnapshots();
/// Allows threads to be started from now on (a constructor has run).
void allowSnapshotThread();
/// Sets a new period, as periodic= does; invalid ones change nothing. Needs the
/// mutex. Call applyPeriodicRequest() afterwards.
void requestPeriodic(const char *Value);
/// Ends the thread for the old period, and starts it for the new one. Needs the
/// guard, without the mutex.
void applyPeriodicRequest();
/// Ends the thread of startSnapshots(). Needs the guard, without the mutex.
void endSnapshots();
/// Call this after fork, in the child, where that thread does not exist.
void forgetSnapshots();

// WaitingCommands.cpp: Executes commands from outside.
//
// Executes the commands that `inmem ctl` puts into the trace, or that signals
// give. hot/CommandQueue.h describes how a thread notices them.

/// Executes waiting commands. The process must be Ready. Needs the guard,
/// without the mutex.
void executeCommands();
/// As executeCommands(), but needs the mutex.
void executeCommandsLocked();

/// Called by the runtime's own threads whenever they wake: executes commands
/// that no thread of an idle program would execute, up to the first one that
/// starts or ends a thread of ours. Call without the mutex; checks at most
/// every 20 ms.
void executeForIdle();

/// Switches recording for all threads and updates the header. Needs the mutex.
void setRecording(bool On);

/// Installs handlers for the signals that give commands (signals=). Needs the
/// mutex.
void listenToSignals();
/// Removes those handlers, unless the program has replaced them.
void stopListeningToSignals();

} // namespace inmem::rt

#endif
