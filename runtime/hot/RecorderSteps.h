//===- RecorderSteps.h - Steps that slow paths of events share ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_RECORDERSTEPS_H
#define INMEM_RUNTIME_RECORDERSTEPS_H

#include "hot/Recorder.h"
#include "hot/Threads.h"

namespace inmem::rt {

/// Counts an event that was dropped because it interrupted another one (a
/// signal handler inside the runtime) or because there was no memory. The
/// runtime's own events are not counted.
void countDropped();

/// The thread's slot of site \p Id, created if necessary; null when out of
/// memory. The thread has rows. All functions below need the guard, without the
/// mutex.
Slot *slotOf(ThreadState &T, uint32_t Id);

/// As slotOf(), for an event that may have interrupted a count: it then gets a
/// separate row, and no cell. The row is null when out of memory.
Slot slotOfEvent(ThreadState &T, uint32_t Id);

/// Executes waiting commands, then returns true if this thread may record an
/// allocation.
bool mayRecord(ThreadState &T);

/// As callerSite(), without a lock if the thread has seen the caller.
struct inmem_site *knownCallerSite(ThreadState &T, uintptr_t ReturnAddress);

/// The id under which to record a block of \p Size bytes of \p Site; 0 if it is
/// not recorded.
uint32_t idForSite(struct inmem_site *Site, uint64_t Size);

/// The id of blocks of the site \p Id, with its caller, that replace blocks of
/// \p OldSite (0: none). They keep the type of \p OldSite if \p Id has none.
uint32_t idKeepingType(uint32_t Id, uint32_t OldSite);

/// The calling thread's slot of \p Site, whose id it stores in \p Id, or of the
/// site \p Id if \p Site is null. Converts to false if nothing is recorded.
/// Needs the guard. A thread that has ended borrows rows while this exists.
class ObjectSlot : public Slot {
public:
  ObjectSlot(ThreadState &T, struct inmem_site *Site, uint32_t &Id);
  ~ObjectSlot();
  ObjectSlot(const ObjectSlot &) = delete;
  ObjectSlot &operator=(const ObjectSlot &) = delete;
  explicit operator bool() const { return R; }

private:
  ThreadState &T;
  bool Borrows = false;
};

/// Gives the thread rows for the duration of an event if it has none.
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

/// Call between announce() and writing an entry off the fast path.
inline void waitForIndex() {
  if (INMEM_UNLIKELY(Process.ReturningIndex))
    Locked Wait(Process.Mutex);
}

/// Announces a block, which need not be the newest, for the duration of a
/// scope.
class Announced {
public:
  Announced(ThreadState &T, void *P) : T(T), Newest(T.Fast.LastAllocated) {
    announce(T, P);
    waitForIndex();
  }
  ~Announced() { T.Fast.LastAllocated = Newest; }

private:
  ThreadState &T;
  void *Newest;
};

} // namespace inmem::rt

#endif
