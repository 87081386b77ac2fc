//===- Watch.h - Watching the allocations of threads over time --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A watcher has a thread of its own that adds up the rows of all threads every
// interval, some threads at a time, so that none waits long for the mutex.
// Threads do nothing for it. It reports its findings one event at a time,
// without the mutex; events are worked out from earlier reports, so that a
// reset in between takes effect immediately.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_WATCH_H
#define INMEM_RUNTIME_WATCH_H

#include "platform/ExportedApi.h"

#include "inmem/threads_api.h"

namespace inmem::rt {

/// Starts the watcher of watch=, unless it is running. With the guard, without
/// the mutex.
void startWatchOption();
/// The process is about to end: stops all watchers. Without guard and mutex.
void endWatches();
/// Releases what the calling thread left held by a jump (Recovery.h).
void releaseWatchLock();
/// Call this after fork, in the child, where none of them runs.
void forgetWatches();

// WatchOutput.cpp: The output of watch.

/// Writes an event.
void tellWatchOutput(void *Context, const inmem_thread_event *Event,
                     const inmem_thread_info *Thread);
/// \returns whether the place that watch_output= names could be opened.
bool openWatchOutput();
/// A table of threads on a file descriptor.
void printThreads(int Descriptor, const inmem_thread_info *Threads,
                  size_t Count);

} // namespace inmem::rt

#endif
