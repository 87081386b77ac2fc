//===- ThreadState.h - State of a thread that records events --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A few dozen plain words of initial-exec TLS without destructors, valid when
// zero: the first event of a thread finds no slots and takes a slow path
// (Allocate.cpp), which sets them up.
//
// A thread writes its own state. Other threads only close its fast path, under
// the runtime's lock: they set AllocateSlots, FreeEnd, Mode, NotesFrees,
// Callers.Quick and Callers.QuickPaths to their zero values. The thread then
// takes the slow path with its next event and decides again, so that no event
// needs a lock or an atomic read-modify-write to notice the change.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_THREADSTATE_H
#define INMEM_RUNTIME_THREADSTATE_H

#include "inmem/abi.h"
#include "platform/Compiler.h"
#include "trace/format/Format.h"

namespace inmem::rt {

/// The row and cell in which a thread counts one site.
struct Slot {
  trace::Row *R;  ///< null: not set up; take the slow path
  trace::Cell *C; ///< cell of the site's type
};

struct ThreadRows;
} // namespace inmem::rt

struct inmem_scope;
struct inmem_budget;

/// A running operator that the program replaced (declared in Replaced.c too).
/// Frame is 0 if there is none.
struct inmem_operator {
  uintptr_t Frame;  ///< the caller's frame
  uintptr_t Return; ///< its return address
};

namespace inmem::rt {

/// A return address in uninstrumented code that this thread has seen. Signal
/// handlers' events read it too: ReturnAddress is written last.
struct KnownCaller {
  uintptr_t ReturnAddress; ///< 0: unused entry
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
  char *QuickEnd; ///< from here on, an event needs a time or does not fit
  char *Last;     ///< from here on, an event does not fit
  trace::ExtentHeader *Extent;
  uint64_t Bytes; ///< total size of the stream's extents
  uint64_t Ticks; ///< time of the stream's last event that has one
  uint64_t NextTicks, NextUsed;      ///< values after the event being written
  uint64_t Pairs[trace::kPairSlots]; ///< size << kSiteBits | site
};

/// Recording of allocations that miss the fast path.
enum class RecordMode : uint8_t {
  StepByStep,
  Traced,     ///< mode=trace, without filters
  Stacked,    ///< stacks= or frees=, without filters or events
  SkipsBytes, ///< only sample_bytes: most blocks are skipped
  SkipsBlocks ///< only every: most blocks are skipped
};

/// The lifetimes that are timed.
enum class LifetimePolicy : uint8_t {
  Thinned, ///< blocks that Thinning.h chooses
  All,
  InEvents, ///< all lifetimes, with clock=events
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
static_assert(sizeof(OuterOperator) ==
              6 * sizeof(uintptr_t)); // as in Replaced.c

/// The paths of a thread whose fast path is closed: none.
INMEM_HIDDEN extern struct CallerPaths ClosedPaths;

/// Each group notes who writes it: always this thread, and other threads only
/// if that is noted. Nothing here is initialised except QuickPaths: a new
/// thread's zeros send its first event to the slow path.
struct ThreadState {
  /// The thread's slots, and which events may count in them directly.
  /// FastPath.cpp writes all but the first two; other threads may only close
  /// the fast path, by the Relaxed members (closeFastPath).
  struct FastPath {
    /// Newest block, null once it is freed. First, because plugins know it as
    /// __inmem_newest (abi.h). Each event writes it.
    void *LastAllocated;
    Slot *Slots; ///< by site id. Written by attachThread and makeSlot
    Relaxed<uint32_t>
        AllocateSlots;         ///< ids below may be counted on the fast path
    Relaxed<uint32_t> FreeEnd; ///< for frees, as a byte offset in Slots
    LifetimePolicy Lifetimes;
    bool UsesSideTable; ///< the slow path adds blocks to the side table
    bool GeneralClock;  ///< not the CPU's clock: see generalTicks()
    bool HasNoClock;    ///< must not read a clock: lifetimes are not timed
                        ///< (Sandbox.cpp)
    Relaxed<RecordMode> Mode;
    Relaxed<bool> NotesFrees; ///< frees=, without filters or events
  } Fast;

  /// The event in progress, for signal handlers that interrupt it. Written by
  /// Guarded and Counting; Recovery.cpp clears both after a jump.
  struct Progress {
    /// Address of the outermost Guarded while inside the runtime, when nothing
    /// is recorded. 0: outside. Test it with isInside (Recovery.h).
    uintptr_t Guard;
    /// Frame of the outermost event that counts (hot/Cells.h); else 0.
    uintptr_t CountingAt;
  } Inside;

  /// Nested scopes without recording. Written by Suspension.cpp.
  struct SuspensionState {
    uint32_t Depth;    ///< > 0: inside inmem_ignore or a replaced operator:
                       ///< record frees, but no allocations
    uint32_t Ignoring; ///< part of Depth: inmem_ignore, not operators
  } Suspension;

  /// Live bytes of the thread, all types: a cell of Rows. attachThread sets it.
  trace::Cell *Process;

  /// Sites of events from uninstrumented code. Hooks write the first two,
  /// attachThread the third, FastPath.cpp the others, which other threads may
  /// set to null and ClosedPaths.
  struct CallerState {
    /// From __inmem_expect: the site of the next allocation by uninstrumented
    /// code.
    struct inmem_site *Expected;
    const uintptr_t
        *ExpectedBack;  ///< path to Expected, as passed to __inmem_from_*
    KnownCaller *Known; ///< array of kKnownCallers; null without Rows
    /// Same as Known if AllocateSlots is above 0, else null.
    Relaxed<const KnownCaller *> Quick;
    /// The paths of Rows on the same condition; else ClosedPaths, which saves
    /// the fast path a test.
    Relaxed<const struct CallerPaths *> QuickPaths{&ClosedPaths};
  } Callers;

  /// Times of lifetimes. Each timed event writes the first (Lifetimes.h), each
  /// allocation with clock=events the others (EventLifetimes.h).
  struct ClockState {
    uint64_t LastTicks; ///< time of the last timed event
    /// clock=events: what the thread has allocated since it last reported to
    /// the process.
    uint64_t OwnBytes, OwnAllocations;
  } Clock;

  /// sample_bytes, every: bytes or blocks until the next one to record. Written
  /// by each allocation that counts down, and by Sampling.cpp.
  struct SamplingState {
    int64_t BytesToSample, BlocksToSample;
  } Sampling;

  ThreadRows *Rows; ///< the cold part; null before the first slow path.
                    ///< attachThread and detachThread set it

  /// Copy constructors. ObjectLifetimes.cpp writes the frame, the slow path of
  /// allocations the sums.
  struct CopyState {
    /// Frame of the caller of the outermost running copy constructor, or null.
    /// While it is set, allocations take the slow path, which sums them in
    /// Inner.
    void *Frame;
    struct inmem_tally Inner;
  } Copy;

  /// Open scopes and budgets, newest first. Written by scopes/; other threads
  /// read Newest.
  struct ScopeState {
    inmem_scope *Newest;
    inmem_budget *Budgets;
    uint32_t Observers; ///< number of scopes that follow each event
    bool ActsOnShared;  ///< the budget that is exceeded, or being notified, is
                        ///< shared
  } Scopes;

  /// The budget to notify once the event is recorded. Written by Budgets.cpp.
  /// Kept here because releaseScopeLocks must undo it after a jump.
  struct ExcessState {
    inmem_budget *Budget; ///< null: no budget is exceeded
    uint64_t Size;        ///< size of the allocation that exceeded it
    uint32_t Site;
    /// The block being recorded is from the program's own operator new, and its
    /// operator delete is unknown. Written by OwnBlocks.h.
    bool CannotUndo;
  } Excess;

  /// Operators new and delete that the program replaced. Written by their
  /// hooks (Hooks.cpp, OwnBlocks.h, Suspension.cpp).
  struct OperatorState {
    struct inmem_operator Running; ///< the innermost one
    /// Frees a block of the running operator new, which is not ours.
    void (*Undo)(void *P, uintptr_t Second, uintptr_t Third);
    uintptr_t UndoSecond; ///< Undo's second argument
    void *Deleted;        ///< the block that a running operator delete frees
    struct inmem_site
        *IgnoredSite; ///< site of the last allocation while suspended
  } Operators;

  int64_t NewPeak; ///< live bytes at a peak whose block is not counted yet.
                   ///< Cells.cpp sets it, PeakNotes.cpp clears it

  /// Closings of the fast path, and decisions about it. Any thread adds to it,
  /// atomically (noteClosing).
  uint32_t Closings;

  /// Written by the handlers of fork (Fork.cpp). They nest as deeply as signal
  /// handlers do.
  struct ForkState {
    uint16_t Running;
    uint16_t Guarding; ///< level of Running that set the guard; 0: none
  } Forks;
};
/// glibc has about 1.6 KiB of static TLS for all libraries that are loaded
/// late, one runtime for each namespace of dlmopen among them: small members
/// are kept together.
static_assert(sizeof(ThreadState) <= 36 * sizeof(uint64_t));
/// Hooks reach these members by one-byte offsets. Every event needs the first
/// 64 bytes.
static_assert(offsetof(ThreadState, Fast) == 0 &&
              offsetof(ThreadState, Inside) == 32 &&
              offsetof(ThreadState, Suspension) == 48 &&
              offsetof(ThreadState, Process) == 56 &&
              offsetof(ThreadState, Callers) == 64 &&
              offsetof(ThreadState, Clock) == 104);
static_assert(offsetof(ThreadState::FastPath, LastAllocated) == 0 &&
              offsetof(ThreadState::FastPath, Slots) == 8 &&
              offsetof(ThreadState::FastPath, AllocateSlots) == 16 &&
              offsetof(ThreadState::FastPath, FreeEnd) == 20 &&
              offsetof(ThreadState::FastPath, Mode) == 28);

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
  return T.Scopes.Observers || T.Scopes.Budgets || SharedObservers ||
         SharedBudgets;
}
inline bool watchesFrees(const ThreadState &T) {
  return T.Scopes.Observers || SharedObservers;
}

/// Flag bits of the guard. This one: there is no mark at its address.
inline constexpr uintptr_t kUnmarked = 1;
/// Set by fork's handlers: their caller's frame reaches further up.
inline constexpr uintptr_t kForFork = 2;
/// A guard that is never released.
inline constexpr uintptr_t kGuardedForever = UINTPTR_MAX;

/// Sets the guard if it still is \p From, in one instruction: atomic with
/// respect to signal handlers and the contexts they switch to. It needs no lock
/// prefix, because no other thread writes the guard.
INMEM_INLINE bool changeGuard(ThreadState &T, uintptr_t From, uintptr_t To) {
#if defined(__x86_64__) && !defined(INMEM_THREAD_SANITIZER)
  bool Changed;
  __asm__ volatile("cmpxchgq %[To], %[Guard]"
                   : [Guard] "+m"(T.Inside.Guard), "=@ccz"(Changed), "+a"(From)
                   : [To] "r"(To)
                   : "memory");
  return Changed;
#else
  return __atomic_compare_exchange_n(&T.Inside.Guard, &From, To, false,
                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
}
INMEM_INLINE void setGuard(ThreadState &T, uintptr_t Guard) {
  orderStores();
  T.Inside.Guard = Guard;
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
                     : "memory"); // stored before anything looks for it
    Outermost = T.Inside.Guard == InsteadOf && changeGuard(T, InsteadOf, Here);
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
