//===- Cells.h - Live bytes of a thread, and totals -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread counts live bytes in a cell for each type and one for all. It
// flushes a cell to the total once that is past its limit; totals know the
// peaks.
//
// On x86-64 one instruction adds to a counter, so a signal handler's events may
// count in the rows of the event that it interrupts. On AArch64 it takes three,
// and what the handler adds between them would be overwritten. There, an event
// shows while it counts (Counting); the handler's leave the fast path, count in
// rows of their own, and add live bytes to the totals.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_CELLS_H
#define INMEM_RUNTIME_CELLS_H

#include "platform/Compiler.h"
#include "registry/SiteRegistry.h"
#include "state/ThreadRows.h"

namespace inmem::rt {

#if defined(__x86_64__)
inline constexpr bool kAddsAtOnce = true;
#else
inline constexpr bool kAddsAtOnce = false;
#endif

/// The thread's event counts while this exists, in rows and cells that only it
/// writes.
class Counting {
public:
  INMEM_INLINE explicit Counting(ThreadState &T) : T(T) {
    if constexpr (!kAddsAtOnce) {
      Outer = T.Inside.CountingAt;
      // In the hooks this is a register.
      T.Inside.CountingAt =
          reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
      orderStores();
    }
  }
  INMEM_INLINE ~Counting() {
    if constexpr (!kAddsAtOnce) {
      orderStores();
      T.Inside.CountingAt = Outer;
    }
  }
  Counting(const Counting &) = delete;
  Counting &operator=(const Counting &) = delete;

private:
  ThreadState &T;
  uintptr_t Outer = 0;
};

/// True if this event interrupted one that counts. False on x86-64.
INMEM_INLINE bool interruptsCount(const ThreadState &T) {
  return !kAddsAtOnce && INMEM_UNLIKELY(T.Inside.CountingAt != 0);
}
/// True if this event interrupted another one that must not be: inside the
/// runtime, or counting.
INMEM_INLINE bool interruptsEvent(const ThreadState &T) {
  return kAddsAtOnce ? T.Inside.Guard != 0
                     : (T.Inside.Guard | T.Inside.CountingAt) != 0;
}

/// Adds to a counter of this thread, while Counting: in one instruction where
/// possible, so that a signal handler's additions are not lost.
template <class Integer> INMEM_INLINE void bump(Integer &Counter, uint64_t By) {
#if defined(__x86_64__) && !defined(INMEM_THREAD_SANITIZER)
  __asm__ volatile("addq %1, %0" : "+m"(Counter) : "er"(By) : "cc");
#else
  Counter += static_cast<Integer>(By);
#endif
}

/// As bump(), downwards.
template <class Integer>
INMEM_INLINE void drain(Integer &Counter, uint64_t By) {
#if defined(__x86_64__) && !defined(INMEM_THREAD_SANITIZER)
  __asm__ volatile("subq %1, %0" : "+m"(Counter) : "er"(By) : "cc");
#else
  Counter -= static_cast<Integer>(By);
#endif
}

/// As bump() and drain(), for counters that events count in outside of
/// Counting.
template <class Integer>
INMEM_INLINE void bumpAlone(Integer &Counter, uint64_t By) {
  if constexpr (kAddsAtOnce)
    bump(Counter, By);
  else
    __atomic_fetch_add(&Counter, static_cast<Integer>(By), __ATOMIC_RELAXED);
}
template <class Integer>
INMEM_INLINE void drainAlone(Integer &Counter, uint64_t By) {
  if constexpr (kAddsAtOnce)
    drain(Counter, By);
  else
    __atomic_fetch_sub(&Counter, static_cast<Integer>(By), __ATOMIC_RELAXED);
}

/// Adds what a cell holds to its total; sets its next limit.
INMEM_SLOW void flushCell(trace::Cell *C);

/// \returns whether the cell is past its limit.
INMEM_INLINE bool raiseLive(trace::Cell *C, uint64_t Bytes) {
  bump(C->Delta, Bytes);
  int64_t Delta = C->Delta;
  if (Delta > C->High) {
    C->High = Delta;
    return INMEM_UNLIKELY(Delta > C->Limit);
  }
  return false;
}
INMEM_INLINE bool lowerLive(trace::Cell *C, uint64_t Bytes) {
  drain(C->Delta, Bytes);
  return INMEM_UNLIKELY(C->Delta + C->Limit < 0);
}

INMEM_INLINE void addLive(trace::Cell *C, uint64_t Bytes) {
  if (raiseLive(C, Bytes))
    flushCell(C);
}
INMEM_INLINE void subtractLive(trace::Cell *C, uint64_t Bytes) {
  if (lowerLive(C, Bytes))
    flushCell(C);
}

/// Adds \p Bytes to the live bytes of \p Type, or kProcessCell, past the
/// thread's cell, in which the event counts that this one interrupted. Peaks
/// are off by what it has not counted yet.
void addToLiveTotal(ThreadState &T, uint32_t Type, int64_t Bytes);
/// addLive() or subtractLive() in the cell of \p S, or addToLiveTotal().
void changeLive(ThreadState &T, const Slot &S, int64_t Bytes);

/// True if this event interrupted another one. With \p OwnsGuard, the guard is
/// the event's own.
INMEM_INLINE bool isWithin(const ThreadState &T, bool OwnsGuard) {
  return !OwnsGuard && T.Inside.Guard != 0;
}

/// The process's cell is past its limit, by an event of \p Size that is not
/// counted elsewhere yet: flushes it, and executes commands (Snapshots.h)
/// as if before the event. \p OwnsGuard: the caller holds the guard. \returns
/// false if recording has stopped; the cell is then without the block.
INMEM_SLOW bool liveRose(uint64_t Size, bool OwnsGuard);
INMEM_SLOW void liveFell(uint64_t Size, bool OwnsGuard);

/// Gives \p B a cell for \p Type; null without room. With the mutex.
trace::Cell *addCell(ThreadRows &B, uint32_t Type);
/// Flushes all of the thread's cells to the totals. It must have rows.
void flushCells(ThreadState &T);
/// Begins a new part of the run for peaks. Calls \p Ended with each type and
/// its highest live bytes in the part that ends. Other threads flush at their
/// next event; what a thread in the middle of one holds back may count for
/// either part. With the mutex. \returns the highest live bytes of the process
/// in that part
template <class Visitor> int64_t beginPeaksAnew(Visitor Ended);
/// As beginPeaksAnew(), for one type, or kProcessCell.
int64_t beginPeakAnew(uint32_t Type);
/// Adds what cells know of peaks to the totals. With the mutex.
void gatherPeaks();

template <class Visitor> int64_t beginPeaksAnew(Visitor Ended) {
  gatherPeaks();
  for (uint32_t Type = 0; Type <= typeCount(); ++Type)
    Ended(Type, beginPeakAnew(Type));
  return beginPeakAnew(trace::kProcessCell);
}

} // namespace inmem::rt

#endif
