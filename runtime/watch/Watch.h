//===- Watch.h - Watching the allocations of threads over time --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A watcher has a thread of its own that adds up the rows of all threads every
// interval. It sums a few threads at a time, so that no thread waits long for
// the mutex. Threads do nothing for it. It reports its findings one event at a
// time, without the mutex; events are computed from earlier reports, so that a
// reset in between takes effect immediately.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_WATCH_H
#define INMEM_RUNTIME_WATCH_H

#include "platform/ExportedApi.h"

#include "inmem/threads_api.h"

namespace inmem::rt {

/// Starts the watcher of watch=, unless it is running. Needs the guard, without
/// the mutex.
void startWatchOption();
/// Call when the process is about to end: stops all watchers. Call without
/// guard and mutex.
void endWatches();
/// Releases a lock that a jump left held by the calling thread (Recovery.h).
void releaseWatchLock();
/// Call this after fork, in the child, where no watcher runs.
void forgetWatches();

// WatchOutput.cpp: Output of watch=.

/// Writes an event.
void tellWatchOutput(void *Context, const inmem_thread_event *Event,
                     const inmem_thread_info *Thread);
/// Opens the destination that watch_output= names. \returns whether that
/// succeeded
bool openWatchOutput();
/// A table of threads on a file descriptor.
void printThreads(int Descriptor, const inmem_thread_info *Threads,
                  size_t Count);

} // namespace inmem::rt

#endif
