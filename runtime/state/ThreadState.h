//===- ThreadState.h - State of a thread that records events --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A few dozen plain bytes of initial-exec TLS, valid when zero: a thread whose
// slots are 0 takes a slow path (Allocate.cpp), which sets them up. No
// destructors. Only the thread itself writes its state, except that another
// thread may set AllocateSlots, QuickCallers, QuickPaths, FreeEnd, Mode and
// NotesFrees to 0 under the runtime's lock, which only sends the owner to the
// slow path.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_THREADSTATE_H
#define INMEM_RUNTIME_THREADSTATE_H

#include "inmem/abi.h"
#include "platform/Compiler.h"
#include "trace/format/Format.h"

namespace inmem::rt {

/// Where a thread counts one site.
struct Slot {
  trace::Row *R;  ///< null: not set up; take the slow path
  trace::Cell *C; ///< of the site's type
};

struct ThreadRows;
} // namespace inmem::rt

struct inmem_scope;
struct inmem_budget;

/// A running operator that the program replaced (declared in Replaced.c too).
/// Frame is 0 if there is none.
struct inmem_operator {
  uintptr_t Frame;  ///< of the function that calls it
  uintptr_t Return; ///< its return address
};

namespace inmem::rt {

/// A return address in code without instrumentation that this thread has seen.
/// Signal handlers' events read it too: ReturnAddress is written last.
struct KnownCaller {
  uintptr_t ReturnAddress; ///< 0: none
  trace::Row *R;           ///< null: not yet set up, or not for the fast path
  trace::Cell *C;
  struct inmem_site *Site;
};
inline constexpr size_t kKnownCallers = 256;

INMEM_INLINE size_t knownCallerIndex(uintptr_t ReturnAddress) {
  return (ReturnAddress ^ ReturnAddress >> 8) & (kKnownCallers - 1);
}

/// The location of a thread's next event (mode=trace).
struct EventWriter {
  char *At;       ///< within Extent; null before the first event
  char *QuickEnd; ///< an event that starts here needs a time, or does not fit
  char *Last;     ///< an event that starts here does not fit
  trace::ExtentHeader *Extent;
  uint64_t Bytes;                    ///< of all extents of the stream
  uint64_t Ticks;                    ///< of the stream's last event with a time
  uint64_t NextTicks, NextUsed;      ///< after the event being written
  uint64_t Pairs[trace::kPairSlots]; ///< size << kSiteBits | site
};

/// Recording of allocations that miss the fast path.
enum class RecordMode : uint8_t {
  StepByStep,
  Traced,     ///< mode=trace, without filters
  Stacked,    ///< stacks= or frees=, without filters or events
  SkipsBytes, ///< sample_bytes alone: most blocks are skipped
  SkipsBlocks ///< every alone: as above
};

/// Which lifetimes are timed.
enum class LifetimePolicy : uint8_t {
  Thinned, ///< blocks that Thinning.h chooses
  All,
  InEvents, ///< all, with clock=events
  None
};

/// The decision about a thread's fast path that a suspension restores.
struct SavedFastPath {
  uint32_t AllocateSlots, Closings;
  const KnownCaller *Callers;
  const struct CallerPaths *Paths;
  RecordMode Mode;
};
/// State that an operator restores when it ends.
struct OuterOperator {
  inmem_operator Operator;
  SavedFastPath Saved;
};
static_assert(sizeof(OuterOperator) == 6 * sizeof(uintptr_t)); // Replaced.c

/// The paths of a thread whose fast path is closed: none.
INMEM_HIDDEN extern struct CallerPaths ClosedPaths;

struct ThreadState {
  /// Newest block, null once it is freed. First: it is __inmem_newest (abi.h).
  void *LastAllocated;
  Slot *Slots; ///< by site id
  Relaxed<uint32_t>
      AllocateSlots;         ///< ids below may be counted on the fast path
  Relaxed<uint32_t> FreeEnd; ///< for frees: bytes of Slots
  LifetimePolicy Lifetimes;
  bool UsesSideTable; ///< blocks go into the side table, by the slow path
  bool GeneralClock;  ///< not the processor's clock: see generalTicks()
  bool HasNoClock;    ///< must not read a clock: lifetimes are not timed
                      ///< (Sandbox.cpp)
  Relaxed<RecordMode> Mode;
  Relaxed<bool> NotesFrees; ///< frees=, without filters or events
  bool ActsOnShared;        ///< Excess, or the budget being notified, is shared
  /// The block being recorded is of an operator new of the program's own, for
  /// which no operator delete is known.
  bool CannotUndo;
  /// Address of the outermost Guarded: inside the runtime, record nothing. 0:
  /// outside. Test it with isInside (Recovery.h).
  uintptr_t Guard;
  /// Frame of the outermost event that counts (hot/Cells.h); else 0.
  uintptr_t CountingAt;
  uint32_t Suspended;   ///< > 0: inside inmem_ignore or a replaced operator:
                        ///< record frees, but no allocations
  uint32_t Observers;   ///< how many of Scopes follow each event
  trace::Cell *Process; ///< live bytes of the thread, all types
  /// From __inmem_expect: the site of the next allocation by code without
  /// instrumentation.
  struct inmem_site *Expected;
  const uintptr_t *ExpectedBack; ///< for that site: as __inmem_from_* have it
  KnownCaller *Callers;          ///< kKnownCallers of them; null without Rows
  /// Callers if AllocateSlots is above 0, else null.
  Relaxed<const KnownCaller *> QuickCallers;
  /// Paths of Rows on the same condition; else ClosedPaths, which saves the
  /// fast path a test.
  Relaxed<const struct CallerPaths *> QuickPaths{&ClosedPaths};
  uint64_t LastTicks; ///< of the last timed birth or end
  /// clock=events: what the thread has allocated since it last reported to the
  /// process (EventLifetimes.h).
  uint64_t OwnBytes, OwnAllocations;
  /// sample_bytes, every: bytes or blocks until the next one to record.
  int64_t BytesToSample, BlocksToSample;
  ThreadRows *Rows; ///< the cold part; null before the first slow path
  /// Frame of the caller of the outermost running copy constructor; null: none.
  /// Until then allocations take the slow path, which sums them in Inner.
  void *CopyFrame;
  struct inmem_tally Inner;
  /// Scopes.h. Newest first.
  inmem_scope *Scopes;
  inmem_budget *Budgets;
  /// The budget to notify once the event is recorded, or null. Kept here
  /// because releaseScopeLocks must undo it after a jump.
  inmem_budget *Excess;
  uint64_t ExcessSize; ///< of the allocation that exceeded it
  uint32_t ExcessSite;
  uint32_t Ignoring; ///< part of Suspended: inmem_ignore, not operators
  /// Gives back a block of the operator new that is running, which is not
  /// ours.
  void (*Undo)(void *P, uintptr_t Second, uintptr_t Third);
  uintptr_t UndoSecond; ///< its second argument
  void
      *Deleted; ///< what an operator delete of the program's own is giving back
  struct inmem_site *IgnoredSite; ///< of the last allocation while Suspended
  int64_t NewPeak;   ///< live bytes at a peak whose block is not counted yet
  uint32_t Closings; ///< of the fast path, and decisions about it: atomic
  uint32_t Forks;    ///< running: they nest in signal handlers
  struct inmem_operator Operator; ///< the innermost one running
  uint32_t GuardingFork;          ///< which of Forks set the guard; 0: none
};
/// glibc has about 1.6 KiB of static TLS for all libraries that are loaded
/// late, one runtime for each namespace of dlmopen among them: small members
/// are kept together.
static_assert(sizeof(ThreadState) <= 36 * sizeof(uint64_t));

/// -mtls-model=initial-exec: one instruction to reach.
extern __thread ThreadState Thread __attribute__((tls_model("initial-exec")));

/// Set once a thread has run all rounds of its key destructors; later events
/// borrow rows one at a time (attachThread, detachThread).
extern __thread bool ThreadEnded __attribute__((tls_model("initial-exec")));
inline bool threadHasEnded() { return ThreadEnded; }

/// Number of open scopes and budgets, except those about one thread and used by
/// it alone.
extern Relaxed<uint32_t> SharedObservers, SharedBudgets;

/// True if the thread's allocations (frees) must take the slow path for scopes
/// and budgets (Scopes.h).
inline bool watchesAllocations(const ThreadState &T) {
  return T.Observers || T.Budgets || SharedObservers || SharedBudgets;
}
inline bool watchesFrees(const ThreadState &T) {
  return T.Observers || SharedObservers;
}

/// Flag bits of ThreadState::Guard: no mark at its address.
inline constexpr uintptr_t kUnmarked = 1;
/// Set by fork's handlers, whose caller's frame reaches further up.
inline constexpr uintptr_t kForFork = 2;
/// A guard that is never released.
inline constexpr uintptr_t kGuardedForever = UINTPTR_MAX;

/// Sets the guard if it still is \p From, in one instruction: atomic with
/// respect to signal handlers and the contexts they switch to.
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

/// Marks the thread as inside the runtime; has no effect when nested. A jump
/// out of a signal handler may leave the guard set; isInside() notices that.
class Guarded {
public:
  /// Stored at the guard's address; if overwritten, its frame is gone.
  static constexpr uint64_t kSentinel = 0x9d1f5ac3e7204b86;

  INMEM_INLINE explicit Guarded(ThreadState &T, uintptr_t InsteadOf = 0)
      : Sentinel(kSentinel), T(T) {
    const auto Here = reinterpret_cast<uintptr_t>(&Sentinel);
    __asm__ volatile("" ::"r"(&Sentinel)
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
  uint64_t Sentinel;
  ThreadState &T;
  bool Outermost;
};

/// As Guarded, for a thread known to be outside: one store.
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
