//===- ThreadLifetimes.h - Lifetimes of threads -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ThreadRows are cumulative over the threads that use them. One thread's counts
// are the difference between its end and its beginning, both in the trace
// (trace::ThreadLifetime). Rows are added up when a thread begins and ends,
// never while it counts. Functions need the mutex, unless they say otherwise.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_THREADLIFETIMES_H
#define INMEM_RUNTIME_THREADLIFETIMES_H

#include "platform/Tasks.h"
#include "state/ThreadRows.h"
#include "tables/PagedArray.h"

namespace inmem::rt {

/// A thread, running or ended.
struct LivedThread {
  trace::ThreadLifetime *Lifetime; ///< in the trace
  ThreadRows *Rows;                ///< null: no events yet
  uintptr_t Start;                 ///< code where it began; 0: unknown
  trace::ThreadLine *Line;         ///< allocations over time; null: not watched
};

/// The sum over a thread's rows of heap blocks.
trace::ThreadCounts countsOf(const ThreadRows &B);
/// \p Now minus \p Before. Members that a racing read found half-written are
/// clamped to 0.
trace::ThreadCounts difference(const trace::ThreadCounts &Now,
                               const trace::ThreadCounts &Before);
/// A thread's counts until now, or until its end.
trace::ThreadCounts countsOf(const LivedThread &T);

/// Thread \p N, from 1 to livedThreadCount().
LivedThread &livedThread(uint32_t N);
uint32_t livedThreadCount();

/// The newest live thread with that id; 0: none.
uint32_t livedThreadWithTid(uint32_t Tid);
bool isOwnThread(uint32_t Tid);

/// Nanoseconds since recording began.
uint64_t sinceBegan();

/// Call when a thread with the Tid and Name of \p B has taken these rows.
void beginThreadLifetime(ThreadRows &B);
void endThreadLifetime(ThreadRows &B);
/// Call when the name of the rows' thread has changed.
void renameThreadLifetime(const ThreadRows &B);
/// The code in which a thread begins.
struct ThreadStart {
  uintptr_t Code;
  uint32_t Address; ///< its trace::AddressRecord's number
};
/// The function that was passed to pthread_create() or std::thread. Needs the
/// guard, without the mutex.
ThreadStart findThreadStart(uintptr_t Routine, const void *Argument);
/// Records the function in which the rows' thread begins.
void setThreadStart(ThreadRows &B, const ThreadStart &Start);

/// Call before a thread is created that will take rows and enlist itself with
/// the profiler; with false once it has, or if it could not be created. Call
/// without the mutex.
void expectThread(bool Created);
bool isThreadExpected();
/// True if the kernel has listed \p T, but its start is not known yet.
bool mayBeStarting(const LivedThread &T);

/// Adds threads without rows and marks ended ones.
/// \param Tids the kernel's threads of the process, sorted
void noteOtherThreads(const uint32_t *Tids, uint32_t TidCount);

/// The runtime's own threads do not count as the program's. expectOwnThread()
/// announces one (or withdraws that if it could not be started);
/// addOwnThread(), called on that thread, registers it.
void expectOwnThread(bool Started);
void addOwnThread();
/// Number of known threads, including our own.
uint32_t knownThreadCount();

/// Keeps a record of every thread from now on, however many there are; false
/// undoes that.
void keepAllThreads(bool All);

/// Call this after fork, in the child.
void forgetThreadLifetimes();

// TaskList.cpp: The process's threads, by id.

/// Ids of the process's threads, sorted. Owns pages.
class TaskList {
public:
  TaskList();
  ~TaskList() { Ids.release(); }
  TaskList(const TaskList &) = delete;
  TaskList &operator=(const TaskList &) = delete;

  const uint32_t *ids() const { return Ids.Data; }
  uint32_t count() const { return Ids.Count; } ///< 0: unavailable from /proc

private:
  PagedArray<uint32_t> Ids = {};
};

} // namespace inmem::rt

#endif
