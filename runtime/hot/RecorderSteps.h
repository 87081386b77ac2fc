//===- RecorderSteps.h - What the slow paths of events share --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_RECORDERSTEPS_H
#define INMEM_RUNTIME_RECORDERSTEPS_H

#include "hot/Recorder.h"
#include "threads/Threads.h"

namespace inmem::rt {

/// Counts an event that is lost: it came within another one (a signal handler
/// within the runtime), or there was no memory. What is done for the runtime
/// itself is no loss.
void countDropped();

/// The thread's slot of site \p Id, made if need be; null without memory. The
/// thread has a block. With the guard and without the mutex, as all of these.
Slot *slotOf(ThreadState &T, uint32_t Id);

/// May this thread record an allocation now? Obeys orders first.
bool mayRecord(ThreadState &T);

/// The id to record a block of \p Size bytes under: the new site's, or the old
/// one's if only that one has a type. 0: not to be recorded.
uint32_t idForSite(struct inmem_site *Site, uint64_t Size, uint32_t OldSite);

/// Gives the thread a block for the duration of an event, if it has none.
class Attached {
public:
  explicit Attached(ThreadState &T) : T(T), Ok(attach(T, Borrows)) {}
  ~Attached() {
    if (Borrows)
      detachBorrowed(T);
  }
  explicit operator bool() const { return Ok; }

private:
  ThreadState &T;
  bool Borrows = false;
  bool Ok;
};

/// To be called between announce and writing an entry off the fast path.
inline void waitForIndex() {
  if (INMEM_UNLIKELY(Process.ReturningIndex))
    Locked Wait(Process.Mutex);
}

/// For the duration of a scope: announces a block that need not be the newest.
class Announced {
public:
  Announced(ThreadState &T, void *P) : T(T), Newest(T.LastAllocated) {
    announce(T, P);
    waitForIndex();
  }
  ~Announced() { T.LastAllocated = Newest; }

private:
  ThreadState &T;
  void *Newest;
};

} // namespace inmem::rt

#endif
