//===- Threads.h - Threads take rows and leave them -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread takes rows (ThreadRows.h) at its first event and leaves them at its
// end. The first kKeptApart threads get rows that no other thread reuses, so
// that a report can separate them. Later threads continue in rows of ended
// threads.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_THREADS_H
#define INMEM_RUNTIME_THREADS_H

#include "state/ThreadRows.h"

namespace inmem::rt {

/// The number of threads that keep rows of their own.
inline constexpr uint32_t kKeptApart = 64;

/// Gives the calling thread rows; false when out of memory. Needs the mutex.
bool attachThread(ThreadState &T);
/// Call after a jump out of the runtime (Recovery.h): repairs what the thread
/// left unfinished.
void goOnAfterJump(ThreadState &T);
/// Takes the thread's rows away; its counts stay. Needs the mutex.
void detachThread(ThreadState &T);
/// Releases the rows of threads that ended unnoticed, by a bare SYS_exit: their
/// stacks, and the ThreadState above them, may be unmapped. Call before
/// touching other threads' states. Needs the mutex.
void releaseDeadThreads();
/// Records changed thread names, for the trace's end and for concurrent
/// readers. Needs the mutex.
void updateNames();
/// Called by pthread_setname_np. Needs the mutex.
void threadWasNamed(const void *ThreadPointer, const char *Name);
/// Lets forks from now on keep the thread's slots and known callers for the
/// child, which finishes an interrupted event with them; with \p Leave false,
/// forks empty them again. Calls nest.
void leaveSlotsToChild(ThreadState &T, bool Leave);

/// Call when another trace begins: each thread gives up its rows before its
/// next event. A thread in the middle of an event may still count in them.
/// Needs the mutex.
void abandonThreads();
/// The thread's part of abandonThreads(): unmaps rows of a former trace. Cheap
/// if there are none.
void leaveFormerRows(ThreadState &T);

/// Call after fork, in the child: only the calling thread exists, without rows.
void forgetThreads(ThreadState &T);

/// Attaches the thread if necessary. Sets \p Borrows if the thread has ended:
/// the caller must then call detachBorrowed() after the event. Call both
/// without the mutex.
bool attach(ThreadState &T, bool &Borrows);
void detachBorrowed(ThreadState &T);

/// Registers our key destructor. Call once per process, when recording starts.
void watchThreadEnds();

} // namespace inmem::rt

#endif
