//===- ThreadState.h - What one thread needs to record an event -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A few dozen plain bytes of initial-exec TLS, valid when zero: a thread whose
// slots are 0 takes the slow path (Recorder.cpp), which sets them up. No
// destructors. Only the thread itself writes its state, except that another
// thread may set AllocateSlots, QuickCallers, FreeEnd, Way and NotesFrees to 0
// under the runtime's lock, which only sends the owner to the slow path.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_THREADSTATE_H
#define INMEM_RUNTIME_THREADSTATE_H

#include "inmem/abi.h"
#include "platform/Compiler.h"
#include "trace/Format.h"

namespace inmem::rt {

/// Where a thread counts one site.
struct Slot {
  trace::Row *R;  ///< null: not set up; take the slow path
  trace::Cell *C; ///< of the site's type
};

struct ThreadBlock;
} // namespace inmem::rt

struct inmem_scope;
struct inmem_budget;

/// An operator that the program replaced, and that is under way (Replaced.c has
/// the same). Frame is 0 if there is none.
struct inmem_operator {
  uintptr_t Frame;  ///< of the function that calls it
  uintptr_t Return; ///< the return address in that
};

namespace inmem::rt {

/// A return address without instrumentation that this thread met before. Read
/// by a signal handler's events too: ReturnAddress is written last.
struct KnownCaller {
  uintptr_t ReturnAddress; ///< 0: none
  trace::Row *R; ///< null: not to be counted on the fast path, or not yet
  trace::Cell *C;
  struct inmem_site *Site;
};
inline constexpr size_t kKnownCallers = 256;

INMEM_INLINE size_t knownCallerIndex(uintptr_t ReturnAddress) {
  return (ReturnAddress ^ ReturnAddress >> 8) & (kKnownCallers - 1);
}

/// Where a thread's next event goes (mode=trace).
struct EventWriter {
  char *At;       ///< within Extent; null before the first event
  char *QuickEnd; ///< an event that starts here has a time, or does not fit
  char *Last;     ///< an event that starts here does not fit
  trace::ExtentHeader *Extent;
  uint64_t Bytes;                    ///< of all extents of the stream
  uint64_t Ticks;                    ///< of the stream's clocked event before
  uint64_t NextTicks, NextUsed;      ///< after the event that is being written
  uint64_t Pairs[trace::kPairSlots]; ///< size << kSiteBits | site
};

/// How an allocation is recorded that is not counted on the fast path.
enum class Way : uint8_t {
  StepByStep,
  Traced,     ///< mode=trace, without filters
  Stacked,    ///< stacks= or frees=, without filters or events
  SkipsBytes, ///< sample_bytes alone: most are not recorded
  SkipsBlocks ///< every alone: the same
};

/// Which lives are timed.
enum class Times : uint8_t {
  Thinned, ///< those that Thinning.h chooses
  All,
  InEvents, ///< all, with clock=events
  None
};

struct ThreadState {
  /// Newest block, null once it is freed. First: it is __inmem_newest (abi.h).
  void *LastAllocated;
  Slot *Slots; ///< by site id
  Relaxed<uint32_t>
      AllocateSlots;         ///< ids below may be counted on the fast path
  Relaxed<uint32_t> FreeEnd; ///< ... frees: the same, in bytes of Slots
  Times Lives;
  /// Where the outermost Guarded lies: inside the runtime, record nothing. 0:
  /// outside. Look at it through isInside (Recovery.h).
  uintptr_t Guard;
  uint32_t Suspended;   ///< > 0: ignoring, or in an operator that the program
                        ///< replaced: record frees, but no allocations
  trace::Cell *Process; ///< live bytes of the thread, all types
  bool Beside;          ///< blocks go into the side table, by the slow path
  /// Site of the next allocation by code without instrumentation, which calls
  /// it through functions of others: from __inmem_expect.
  struct inmem_site *Expected;
  KnownCaller *Callers; ///< kKnownCallers of them; null without a block
  /// The same, null unless AllocateSlots is above 0.
  Relaxed<const KnownCaller *> QuickCallers;
  bool GeneralClock;  ///< any but the processor's: see generalTicks()
  bool HasNoClock;    ///< may not read one: lives are not timed (Sandbox.cpp)
  uint64_t LastTicks; ///< of the last timed birth or end
  /// clock=events: what the thread has allocated since it last told the process
  /// (EventLives.h).
  uint64_t OwnBytes, OwnAllocations;
  Relaxed<Way> Allocates;
  /// sample_bytes, every: one of so many allocated bytes or blocks is recorded.
  int64_t BytesToSample, BlocksToSample;
  Relaxed<bool> NotesFrees; ///< frees=, without filters or events
  ThreadBlock *Block;       ///< the cold part; null before the first slow path
  /// Where the outermost copy constructor was called that is under way; null:
  /// none. Meanwhile allocations take the slow path, which adds them up here.
  void *CopyFrame;
  struct inmem_tally Inner;
  /// Scopes.h. The last one opened first.
  inmem_scope *Scopes;
  inmem_budget *Budgets;
  uint32_t Observers; ///< of Scopes, those that follow each event
  /// Budget to be told once the event is recorded; or null. Here, since what a
  /// jump leaves of it must be undone (releaseScopeLocks).
  inmem_budget *Excess;
  uint32_t ExcessSite; ///< what went over it
  uint64_t ExcessSize;
  bool ActsOnShared; ///< Excess, or what is being told, is a shared budget
  void
      *Deleted; ///< what an operator delete of the program's own is giving back
  struct inmem_site *IgnoredSite; ///< of the last allocation while Suspended
  int64_t NewPeak; ///< live bytes at a peak whose block is still to be counted
  uint32_t Ignoring;              ///< of Suspended, those that are no operator
  struct inmem_operator Operator; ///< the innermost one that is under way
  uint32_t Forks;                 ///< under way: they nest in signal handlers
  uint32_t GuardingFork;          ///< which of them has set the guard; 0: none
};

/// -mtls-model=initial-exec: one instruction to reach.
extern __thread ThreadState Thread __attribute__((tls_model("initial-exec")));

/// The bits of ThreadState::Guard that are no address: there is no mark there.
inline constexpr uintptr_t kUnmarked = 1;
/// The frame reaches further up: fork's handlers set the guard for it.
inline constexpr uintptr_t kForFork = 2;
/// A guard that is set for good.
inline constexpr uintptr_t kGuardedForever = UINTPTR_MAX;

/// Sets the guard if it is still \p From, in one instruction: what a signal
/// handler does meanwhile, or a context that it switches to, comes before or
/// after.
INMEM_INLINE bool changeGuard(ThreadState &T, uintptr_t From, uintptr_t To) {
#if defined(__x86_64__) && !defined(INMEM_THREAD_SANITIZER)
  bool Changed;
  __asm__ volatile("cmpxchgq %[To], %[Guard]"
                   : [Guard] "+m"(T.Guard), "=@ccz"(Changed), "+a"(From)
                   : [To] "r"(To)
                   : "memory");
  return Changed;
#else
  return __atomic_compare_exchange_n(&T.Guard, &From, To, false,
                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
}
INMEM_INLINE void setGuard(ThreadState &T, uintptr_t Guard) {
  orderStores();
  T.Guard = Guard;
  orderStores();
}

/// Marks the thread as inside the runtime; within another one does nothing. A
/// jump out of a signal handler may leave it set, which isInside() notices.
class Guarded {
public:
  /// What lies at the guard's address. Overwritten: its frame is gone.
  static constexpr uint64_t kMark = 0x9d1f5ac3e7204b86;

  INMEM_INLINE explicit Guarded(ThreadState &T, uintptr_t InsteadOf = 0)
      : Mark(kMark), T(T) {
    const auto Here = reinterpret_cast<uintptr_t>(&Mark);
    __asm__ volatile("" ::"r"(&Mark)
                     : "memory"); // there before it is looked for
    Outermost = T.Guard == InsteadOf && changeGuard(T, InsteadOf, Here);
  }
  INMEM_INLINE ~Guarded() {
    if (Outermost)
      setGuard(T, 0);
  }
  Guarded(const Guarded &) = delete;
  Guarded &operator=(const Guarded &) = delete;

  INMEM_INLINE bool isOutermost() const { return Outermost; }

private:
  uint64_t Mark;
  ThreadState &T;
  bool Outermost;
};

/// The same where it is known that the thread is outside: one store.
class QuicklyGuarded {
public:
  INMEM_INLINE explicit QuicklyGuarded(ThreadState &T) : T(T) {
    setGuard(T, stackPointer() | kUnmarked);
  }
  INMEM_INLINE ~QuicklyGuarded() { setGuard(T, 0); }
  QuicklyGuarded(const QuicklyGuarded &) = delete;
  QuicklyGuarded &operator=(const QuicklyGuarded &) = delete;

private:
  ThreadState &T;
};

} // namespace inmem::rt

#endif
