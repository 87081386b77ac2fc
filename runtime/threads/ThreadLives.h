//===- ThreadLives.h - One thread after the other in a block of rows ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block's counts are cumulative, whoever counts in it. What one thread has
// counted is their difference between its end and its beginning; both stand in
// the trace (trace::ThreadLife). Rows are added up when a thread begins and
// ends, never while it counts. All functions need the mutex.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_THREADLIVES_H
#define INMEM_RUNTIME_THREADLIVES_H

#include "threads/Threads.h"

namespace inmem::rt {

/// A thread, running or ended.
struct LivedThread {
  trace::ThreadLife *Life; ///< in the trace
  ThreadBlock *Block;      ///< null: it has counted nothing yet
  uintptr_t Start;         ///< code that it began in; 0: unknown
  trace::ThreadLine *Line; ///< what it allocated over time; null: not watched
};

/// The sum of a block's rows of heap blocks.
trace::ThreadCounts countsOf(const ThreadBlock &B);
/// What came since \p Before; members that another thread's reading found
/// half-written are 0 rather than less.
trace::ThreadCounts difference(const trace::ThreadCounts &Now,
                               const trace::ThreadCounts &Before);
/// Of a thread until now, or until its end.
trace::ThreadCounts countsOf(const LivedThread &T);

/// Thread \p N, from 1 to livedThreadCount().
LivedThread &livedThread(uint32_t N);
uint32_t livedThreadCount();

/// The newest thread of that id that has not ended; 0: there is none.
uint32_t livedThreadWithTid(uint32_t Tid);
bool isOwnThread(uint32_t Tid);

/// Nanoseconds since recording began.
uint64_t sinceBegan();

/// The block has a thread, whose Tid and Name it has.
void beginThreadLife(ThreadBlock &B);
void endThreadLife(ThreadBlock &B);
/// The block's name has changed.
void renameThreadLife(const ThreadBlock &B);
/// What the thread in \p B begins with. Without the mutex, with the guard.
void setThreadStart(ThreadBlock &B, uintptr_t Routine, const void *Argument);

/// Meets threads without a block, and finds which of them have ended. \p Tids
/// are all threads that the kernel has, sorted.
void noteOtherThreads(const uint32_t *Tids, uint32_t TidCount);

/// A thread of the runtime's own is no thread of the program: it is about to be
/// started (or could not be), and then says which it is.
void expectOwnThread(bool Started);
void addOwnThread();
/// How many threads we know of, our own among them.
uint32_t knownThreadCount();

/// From now on every thread is kept, however many there are; takes it back.
void keepAllThreads(bool All);

/// After fork, in the child.
void forgetThreadLives();

} // namespace inmem::rt

#endif
