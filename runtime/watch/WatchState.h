//===- WatchState.h - A watcher's knowledge of threads --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All functions need the runtime's mutex.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_WATCHSTATE_H
#define INMEM_RUNTIME_WATCHSTATE_H

#include "tables/PagedArray.h"
#include "threads/ThreadLifetimes.h"
#include "watch/Watch.h"
#include "workers/OwnThread.h"

namespace inmem::rt {

/// A watcher's state of a thread.
struct Watched {
  uint32_t Thread; ///< number of a LivedThread
  bool ToldCreated, ToldEnded, Ended;
  uint8_t ByteTimes, BlockTimes; ///< events since the last look
  trace::ThreadCounts Now;       ///< since the thread began
  trace::ThreadCounts Begin;     ///< at the last reset
  trace::ThreadCounts Look;      ///< at the last look
  uint64_t LookNs;
  uint64_t BytesPerSecond,
      BlocksPerSecond; ///< rates between the last two looks
  uint64_t ToldBytes,
      ToldBlocks; ///< multiples of the thresholds already reported
};

} // namespace inmem::rt

struct inmem_watch {
  inmem_watch *Next;
  inmem_watch_options Options;
  inmem_watch_callback Callback;
  void *Context;
  void (*Release)(void *);
  inmem::rt::OwnThread Thread;
  bool IsOption; ///< from watch=: also reports findings at process exit
  inmem::rt::Relaxed<bool> IsQuiet; ///< process is ending: no more callbacks
  inmem::rt::Relaxed<bool>
      Deleted; ///< by a callback: the watcher's thread frees it
  inmem::rt::Relaxed<bool>
      IsAwaited;   ///< in use by endWatches: must not be freed
  bool LinesOwner; ///< writes the time lines
  inmem::rt::PagedArray<inmem::rt::Watched> All; ///< in order of Thread
  /// Indexes into All of threads that may have events.
  inmem::rt::PagedArray<uint32_t> Active;
  inmem::rt::Relaxed<uint32_t> Forgotten; ///< grows when indexes change
  uint32_t Seen; ///< number of the last LivedThread added to All
  uint32_t Looks;
  uint32_t Failures[8]; ///< hashes of the types of reported exceptions
};

namespace inmem::rt {

using Watcher = inmem_watch;

/// True if the process records and its trace may change.
bool mayLook();
/// Reads a thread's counts as they were last taken.
void describe(const Watched &E, inmem_thread_info &Out);
/// Adds threads that are new since the last look.
void takeNew(Watcher &W);
/// Adds threads that only the kernel knows, and marks threads that ended
/// unnoticed.
void askKernel(Watcher &W);
/// Forgets ended threads that were reported, except the newest \p Keep.
void forgetEnded(Watcher &W, uint32_t Keep);
/// Removes threads that were reported as ended from Active: they have no more
/// events.
void sweep(Watcher &W);
/// Reads a thread's present counts.
void count(Watched &E);
/// As count(), for a look: rates, time lines and events begin from here.
void lookAt(const Watcher &W, Watched &E);
/// The next event to report for a thread; false: none.
bool nextEvent(const Watcher &W, Watched &E, inmem_thread_event &Out);
/// Call when a trace begins, which has no time lines and crossings yet.
void forgetWatchExtents();

} // namespace inmem::rt

#endif
