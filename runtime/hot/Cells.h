//===- Cells.h - Live bytes of a thread, and totals -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread counts live bytes in one cell for each type and one for the process.
// When a cell exceeds its limit, the thread flushes it to a total that all
// threads share. Totals record the peaks. The limit bounds both the error of a
// peak and how often threads contend for a total.
//
// On x86-64 one instruction adds to a counter, so a signal handler's events may
// count in the rows of the event that it interrupts. On AArch64 it takes three,
// and what the handler adds between them would be overwritten. There, an event
// marks the time in which it counts (Counting). A handler's event that finds
// the mark leaves the fast path, counts in separate rows and adds live bytes to
// the totals. Exclusive loads and stores instead of the mark took 31
// instructions for an allocation and its free; the mark takes 8
// (docs/platforms.md).
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

/// Marks the time in which the thread's event counts, in rows and cells that no
/// other thread writes.
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

/// Returns true if this event interrupted one that counts. False on x86-64.
INMEM_INLINE bool interruptsCount(const ThreadState &T) {
  return !kAddsAtOnce && INMEM_UNLIKELY(T.Inside.CountingAt != 0);
}
/// Returns true if this event interrupted one that is inside the runtime or
/// counts.
INMEM_INLINE bool interruptsEvent(const ThreadState &T) {
  return kAddsAtOnce ? T.Inside.Guard != 0
                     : (T.Inside.Guard | T.Inside.CountingAt) != 0;
}

/// Adds to a counter of this thread, while Counting: in one instruction where
/// possible, so that a signal handler's additions are not lost. The instruction
/// has no lock prefix, because no other thread writes the counter.
template <class Integer> INMEM_INLINE void bump(Integer &Counter, uint64_t By) {
#if defined(__x86_64__) && !defined(INMEM_THREAD_SANITIZER)
  __asm__ volatile("addq %1, %0" : "+m"(Counter) : "er"(By) : "cc");
#else
  Counter += static_cast<Integer>(By);
#endif
}

/// As bump(), but subtracts.
template <class Integer>
INMEM_INLINE void drain(Integer &Counter, uint64_t By) {
#if defined(__x86_64__) && !defined(INMEM_THREAD_SANITIZER)
  __asm__ volatile("subq %1, %0" : "+m"(Counter) : "er"(By) : "cc");
#else
  Counter -= static_cast<Integer>(By);
#endif
}

/// As bump() and drain(), for counters that events also change outside of
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

/// Adds the contents of a cell to its total and sets its next limit.
INMEM_SLOW void flushCell(trace::Cell *C);

/// Returns true if the cell exceeded its limit.
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

/// Adds \p Bytes directly to the total of \p Type, or kProcessCell, for an
/// event that interrupted a count in the thread's cell. Peaks are off by the
/// part that the interrupted event has not counted yet.
void addToLiveTotal(ThreadState &T, uint32_t Type, int64_t Bytes);
/// addLive() or subtractLive() in the cell of \p S, or addToLiveTotal().
void changeLive(ThreadState &T, const Slot &S, int64_t Bytes);

/// Returns true if this event interrupted another one. With \p OwnsGuard, this
/// event has set the guard itself.
INMEM_INLINE bool isWithin(const ThreadState &T, bool OwnsGuard) {
  return !OwnsGuard && T.Inside.Guard != 0;
}

/// An event of \p Size bytes, counted nowhere else yet, made the process's cell
/// exceed its limit. Flushes the cell and executes commands (Snapshots.h)
/// as if they came before the event. \p OwnsGuard: the caller holds the guard.
/// Returns false if recording has stopped; the event is then removed from the
/// cell.
INMEM_SLOW bool liveRose(uint64_t Size, bool OwnsGuard);
INMEM_SLOW void liveFell(uint64_t Size, bool OwnsGuard);

/// Gives \p B a cell for \p Type; null when out of memory. Needs the mutex.
trace::Cell *addCell(ThreadRows &B, uint32_t Type);
/// Flushes all of the thread's cells to the totals. It must have rows.
void flushCells(ThreadState &T);
/// Begins a new part of the run for peaks. Calls \p Ended with each type and
/// its highest live bytes in the part that ends. Other threads flush at their
/// next event. Bytes that a thread in the middle of an event holds back may
/// count for either part. Needs the mutex. Returns the highest live bytes of
/// the process in the part that ends.
template <class Visitor> int64_t beginPeaksAnew(Visitor Ended);
/// As beginPeaksAnew(), for one type, or kProcessCell.
int64_t beginPeakAnew(uint32_t Type);
/// Merges the high-water marks of all cells into the totals. Needs the mutex.
void gatherPeaks();

template <class Visitor> int64_t beginPeaksAnew(Visitor Ended) {
  gatherPeaks();
  for (uint32_t Type = 0; Type <= typeCount(); ++Type)
    Ended(Type, beginPeakAnew(Type));
  return beginPeakAnew(trace::kProcessCell);
}

} // namespace inmem::rt

#endif
