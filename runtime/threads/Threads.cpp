//===- Threads.cpp --------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "threads/Threads.h"
#include "hot/CallerPaths.h"

#include "commands/Orders.h"
#include "commands/Snapshots.h"
#include "heap/HeapSnapshot.h"
#include "hot/EventLives.h"
#include "hot/EventStream.h"
#include "hot/FastPath.h"
#include "hot/PeakNotes.h"
#include "hot/Recorder.h"
#include "hot/Sampling.h"
#include "objects/Objects.h"
#include "process/Fork.h"
#include "profiler/Profiler.h"
#include "registry/Elements.h"
#include "registry/SiteRegistry.h"
#include "scopes/Scopes.h"
#include "stacks/Frees.h"
#include "stacks/Stacks.h"
#include "state/Runtime.h"
#include "threads/OwnThread.h"
#include "threads/Recovery.h"
#include "threads/ThreadLives.h"

#include <limits.h>
#include <pthread.h>
#include <string.h>

namespace inmem::rt {

using namespace trace;

constinit ThreadRows *AllThreadRows = nullptr;

namespace {

constinit ThreadRows *FreeThreadRows = nullptr;
constinit uint32_t RowsCount = 0;
constinit pthread_key_t EndKey = 0;
constinit bool HasEndKey = false;
/// Set once a thread has run all rounds of its key destructors; later events
/// borrow rows one at a time.
constinit __thread bool ThreadEnded __attribute__((tls_model("initial-exec"))) =
    false;

/// A cell's first flushes happen at every event, so that types with few blocks
/// have an exact peak however many threads there are; later ones wait for this
/// many bytes.
constexpr uint32_t kEagerFlushes = 1024;
/// With a single thread the peak is exact anyway, so it flushes less often.
constexpr int64_t kLeastLimit = 1024, kLeastLimitAlone = 4096;
constexpr int64_t kMostLimit = 4 << 20;

Cell *addCell(ThreadRows &B, uint32_t Type) {
  auto *C =
      addElement<Cell>(B.Cells, ExtentKind::Cells, B.Index, kPage, 16 * kPage);
  if (!C)
    return nullptr;
  C->Type = Type;
  publishElement(B.Cells);
  return C;
}

/// Makes room for the slot of site \p Id. The fast path reads slots without a
/// lock, and a signal handler's event may interrupt this: the old table stays
/// mapped. Empty in a forked child, which thus leaves the fast path before it
/// counts in its parent's rows.
bool reachSlot(ThreadState &T, ThreadRows &B, uint32_t Id) {
  if (Id < B.SlotCapacity)
    return true;
  uint32_t New = B.SlotCapacity ? B.SlotCapacity * 2 : 512;
  while (New <= Id)
    New *= 2;
  auto *Fresh = static_cast<Slot *>(mapPagesWipedByFork(New * sizeof(Slot)));
  if (!Fresh)
    return false;
  if (B.Slots)
    memcpy(Fresh, B.Slots, B.SlotCapacity * sizeof(Slot));
  T.Slots = B.Slots = Fresh;
  orderStores();
  B.SlotCapacity = New;
  updateFastPath(T);
  return true;
}

Cell *cellOfType(ThreadRows &B, uint32_t Type) {
  if (!B.CellOfType.reserve(uint64_t{Type} + 1))
    return nullptr;
  Cell *&C = B.CellOfType[Type];
  return C ? C : C = addCell(B, Type);
}

Row *addRow(ThreadRows &B, uint32_t Site, uint32_t Type) {
  auto *R =
      addElement<Row>(B.Rows, ExtentKind::Rows, B.Index, 4 * kPage, 64 * kPage);
  if (!R)
    return nullptr;
  if (!B.RowExtents || B.RowExtents->Extent != B.Rows) {
    auto *E = static_cast<RowExtent *>(arenaAllocate(sizeof(RowExtent)));
    if (!E)
      return nullptr;
    *E = {B.Rows, B.RowExtents, 0};
    if (const RowExtent *Older = B.RowExtents)
      E->First = Older->First + Older->Extent->Used;
    orderStores();
    B.RowExtents = E;
  }
  R->Site = Site;
  R->Type = Type;
  publishElement(B.Rows);
  return R;
}

void writeThread(ThreadRows &B) {
  ThreadRecord R = {};
  RecordBuilder Builder(RecordKind::Thread, sizeof R);
  R.Index = B.Index;
  R.Tid = B.Tid;
  R.StartTicks = hardwareTicks();
  R.Name = Builder.string(B.Name);
  Builder.append(&R, sizeof R);
}

using ThreadName = char[sizeof ThreadRows::Name];

void setName(ThreadRows &B, const ThreadName &Name) {
  if (memcmp(Name, B.Name, sizeof Name) == 0)
    return;
  memcpy(B.Name, Name, sizeof Name);
  renameThreadLife(B);
  writeThread(B);
}

/// For the calling thread's rows.
void updateOwnName(ThreadRows &B) {
  ThreadName Name = {};
  readThreadName(Name);
  setName(B, Name);
}

/// For another thread's rows.
void updateOthersName(ThreadRows &B) {
  ThreadName Name = {};
  if (readThreadName(B.Tid, Name)) // else it has ended
    setName(B, Name);
}

/// The rows no longer have a thread.
void releaseRows(ThreadRows &B) {
  endThreadLife(B);
  B.State = nullptr; // if a jump leaves here, they are never reused
  orderStores();
  B.NextFree = FreeThreadRows;
  orderStores();
  FreeThreadRows = &B;
  if (B.Counted) {
    B.Counted = false;
    Process.ThreadCount = Process.ThreadCount - 1;
  }
}

ThreadRows *takeBlockForThread() {
  // A jump left this thread while it took them: reuse those.
  for (ThreadRows *B = AllThreadRows; B; B = B->Next)
    if (B->State == &Thread)
      return B;
  if (FreeThreadRows && (RowsCount >= kKeptApart || ThreadEnded)) {
    ThreadRows *B = FreeThreadRows;
    FreeThreadRows = B->NextFree;
    orderStores();
    B->State = &Thread;
    return B;
  }
  auto *B = static_cast<ThreadRows *>(mapPages(sizeof(ThreadRows)));
  if (!B)
    return nullptr;
  B->Index = ++RowsCount;
  B->Random = B->Index * 0x9E3779B97F4A7C15u;
  B->Callers = static_cast<KnownCaller *>(
      mapPagesWipedByFork(kKnownCallers * sizeof(KnownCaller)));
  B->ProcessCell = addCell(*B, kProcessCell);
  if (!B->Callers || !B->ProcessCell)
    return nullptr;
  B->State = &Thread;
  B->Next = AllThreadRows;
  orderStores();
  AllThreadRows = B;
  return B;
}

/// What all threads have flushed of one type, or of the process.
struct Totals {
  int64_t *Live, *Peak, *EarlierPeak;
};

/// Null members if there is no room for the type.
Totals totalsOf(uint32_t Type) {
  if (Type == kProcessCell) {
    FileHeader *H = Process.Trace.header();
    return {&H->LiveBytes, &H->PeakLiveBytes, &H->EarlierPeakLiveBytes};
  }
  TypeTotal *Total = typeTotal(Type);
  if (!Total)
    return {};
  return {&Total->Live, &Total->Peak, &Total->EarlierPeak};
}

/// Adds what another thread's cell holds, and its share of the peak, to the
/// totals. The owner's next event flushes it, as a new peak begins.
void gatherPeak(const ThreadRows &B, Cell *C) {
  const Totals Of = totalsOf(C->Type);
  if (!Of.Live)
    return;
  // Keep what an open scope there knows of its peak.
  const bool Scoped =
      B.State && __atomic_load_n(&B.State->Scopes, __ATOMIC_RELAXED);
  const int64_t High =
      Scoped ? __atomic_load_n(&C->High, __ATOMIC_RELAXED)
             : __atomic_exchange_n(&C->High, kOrderedLimit, __ATOMIC_RELAXED);
  const int64_t Owed = owedBy(__atomic_load_n(&C->Limit, __ATOMIC_RELAXED));
  raiseTo(Of.Peak, __atomic_load_n(Of.Live, __ATOMIC_RELAXED) - Owed + High);
  __atomic_store_n(&C->Flushes, 0, __ATOMIC_RELAXED);
  // Only the owner subtracts from Delta. Whatever it does meanwhile, the sum of
  // total, Delta and what is owed stays the same.
  const int64_t Held = __atomic_load_n(&C->Delta, __ATOMIC_RELAXED);
  __atomic_fetch_add(Of.Live, Held, __ATOMIC_RELAXED);
  const int64_t Before =
      __atomic_exchange_n(&C->Limit, kOrderedLimit + Held, __ATOMIC_RELAXED);
  __atomic_fetch_sub(Of.Live, owedBy(Before), __ATOMIC_RELAXED);
}

/// Calls \p Visit with each cell of a thread.
template <class Visitor> void forEachCell(ThreadRows &B, Visitor Visit) {
  Visit(B.ProcessCell);
  for (uint32_t I = 0; I < B.CellOfType.Capacity; ++I)
    if (B.CellOfType[I])
      Visit(B.CellOfType[I]);
}

/// \returns live bytes of the type as flushed so far
int64_t addToTotals(Cell *C) {
  if (C->Type == kProcessCell && INMEM_UNLIKELY(Thread.Scopes != nullptr))
    watchFlush(Thread, *C);
  const auto [Live, Peak, Earlier] = totalsOf(C->Type);
  if (!Live)
    return 0;
  // A signal handler's event may interrupt at any point here.
  int64_t Owed = owedBy(__atomic_exchange_n(&C->Limit, 0, __ATOMIC_RELAXED));
  int64_t Delta = __atomic_exchange_n(&C->Delta, 0, __ATOMIC_RELAXED) - Owed;
  int64_t High = C->High - Owed;
  C->High = 0;
  int64_t Before = __atomic_fetch_add(Live, Delta, __ATOMIC_RELAXED);
  int64_t Candidate = Before + High, Now = Before + Delta;
  if (C->Type == kProcessCell) // approximate: two threads may both be higher
    if (Candidate > Process.HighSinceReturn)
      Process.HighSinceReturn = Candidate;
  raiseTo(Peak, Candidate);
  if (C->Flushes < kEagerFlushes) {
    ++C->Flushes;
    listenForOrders(C);
    return Now;
  }
  // All threads together hold back less than 1/512 of the peak.
  uint32_t Others = Process.ThreadCount;
  int64_t Threads = Others ? Others : 1;
  int64_t Highest = __atomic_load_n(Peak, __ATOMIC_RELAXED);
  int64_t Least = Threads > 1 ? kLeastLimit : kLeastLimitAlone;
  int64_t Limit = Highest / (512 * Threads);
  Limit = Limit < Least ? Least : Limit > kMostLimit ? kMostLimit : Limit;
  int64_t None = 0; // unless it was told to flush meanwhile
  __atomic_compare_exchange_n(&C->Limit, &None, Limit, false, __ATOMIC_RELAXED,
                              __ATOMIC_RELAXED);
  listenForOrders(C);
  return Now;
}

/// glibc calls key destructors in up to PTHREAD_DESTRUCTOR_ITERATIONS rounds,
/// after destructors of thread_local objects. Waits for the last round, so that
/// other keys' destructors still count.
void onThreadEnd(void *Value) {
#ifdef INMEM_THREAD_SANITIZER
  constexpr uintptr_t kRounds = 1; // later, TSan no longer knows the thread
#else
  constexpr uintptr_t kRounds = PTHREAD_DESTRUCTOR_ITERATIONS;
#endif
  auto Round = reinterpret_cast<uintptr_t>(Value);
  isInside(Thread); // releases what a jump left behind
  Guarded G(Thread);
  if (Round < kRounds) {
    pthread_setspecific(EndKey, reinterpret_cast<void *>(Round + 1));
    return;
  }
  if (isUnnoticedChild())
    ensureStarted();
  retireThread();
  {
    Locked L(Process.Mutex);
    ThreadEnded = true;
    detachThread(Thread);
  }
  OwnThread::endWithLastThread();
}

} // namespace

void watchThreadEnds() {
  if (!HasEndKey && pthread_key_create(&EndKey, onThreadEnd) == 0)
    HasEndKey = true;
}

bool threadHasEnded() { return ThreadEnded; }

bool attachThread(ThreadState &T) {
  leaveUnsealed();
  // First: after a jump out of what follows, onThreadEnd still runs.
  if (!ThreadEnded && HasEndKey)
    pthread_setspecific(EndKey, reinterpret_cast<void *>(1));
  ThreadRows *B = takeBlockForThread();
  if (!B)
    return false;
  uint32_t Tid = threadId();
  for (ThreadRows *Other = AllThreadRows; Other; Other = Other->Next)
    if (Other->State && Other->Tid == Tid && Other->State != &T)
      releaseRows(*Other); // its thread has ended and its id is ours now
  B->ThreadPointer = threadPointer();
  if (B->Tid != Tid) {
    B->Tid = Tid;
    readThreadName(B->Name);
    writeThread(*B);
  }
  beginThreadLife(*B);
  T.Rows = B;
  T.Slots = B->Slots;
  T.Process = B->ProcessCell;
  T.Callers = B->Callers;
  T.GeneralClock = Process.Config.Clock.Index == Options::ClockEvents ||
                   !Process.HardwareClock || T.HasNoClock;
  beginSampling(T);
  if ((Process.Config.Stacks || notesFrees()) && !B->Stacks)
    B->Stacks = static_cast<StackState *>(mapPages(sizeof(StackState)));
  if (Process.Config.Callers.Index == Options::CallersOn && kCanUnwind &&
      !B->Paths)
    B->Paths =
        static_cast<CallerPaths *>(mapPagesWipedByFork(sizeof(CallerPaths)));
  if (B->Paths) // do not reuse another thread's stack bounds
    B->Paths->Unwind.Low = B->Paths->Unwind.High = 0;
  if (!B->Frees)
    B->Frees = makeFreeState();
  if (B->Stacks) { // of another thread
    B->Stacks->Unwind.Low = B->Stacks->Unwind.High = 0;
    forgetCachedStacks(*B->Stacks);
  }
  if (!B->Counted) {
    Process.ThreadCount = Process.ThreadCount + 1;
    orderStores();
    B->Counted = true;
  }
  attachCounters(*B);
  beginAwaited(*B);
  updateFastPath(T);
  listenForOrders(B->ProcessCell);
  updateClock();
  return true;
}

void goOnAfterJump(ThreadState &T) {
  T.Excess = nullptr;
  if (T.UsesSideTable)
    T.UsesSideTable = false;
  if (!T.Rows)
    return;
  mendEvents(T.Rows->Events);
  if (T.Rows->Stacks)
    T.Rows->Stacks->Unwind.Low = T.Rows->Stacks->Unwind.High = 0;
  closeFastPath(T);
}

void flushCells(ThreadState &T) {
  forEachCell(*T.Rows, [](Cell *C) { addToTotals(C); });
}

void gatherPeaks() {
  releaseDeadThreads();
  for (ThreadRows *B = AllThreadRows; B; B = B->Next)
    if (B != Thread.Rows)
      forEachCell(*B, [B](Cell *C) { gatherPeak(*B, C); });
  if (!Thread.Rows)
    return;
  // This thread has no half-counted event.
  forEachCell(*Thread.Rows, [](Cell *C) {
    addToTotals(C);
    C->Flushes = 0;
    if (C->Limit > 0)
      C->Limit = 0;
  });
}

int64_t beginPeakAnew(uint32_t Type) {
  const auto [Live, Peak, Earlier] = totalsOf(Type);
  if (!Live)
    return 0;
  const int64_t Now = __atomic_load_n(Live, __ATOMIC_RELAXED);
  raiseTo(Peak, Now);
  // A concurrent reader sees the maximum in one of the two.
  raiseTo(Earlier, __atomic_load_n(Peak, __ATOMIC_RELAXED));
  int64_t Ended = __atomic_exchange_n(Peak, Now, __ATOMIC_RELAXED);
  raiseTo(Earlier, Ended);
  return Ended;
}

void detachThread(ThreadState &T) {
  ThreadRows *B = T.Rows;
  if (!B)
    return;
  dropScopes(T);
  flushCells(T);
  tellEvents(T);
  detachCounters(*B);
  updateOwnName(*B);
  closeFastPath(T);
  T.Slots = nullptr;
  T.Process = nullptr;
  T.Callers = nullptr;
  T.LastAllocated = nullptr;
  T.Rows = nullptr;
  releaseRows(*B);
}

void releaseDeadThreads() {
  for (ThreadRows *B = AllThreadRows; B; B = B->Next)
    if (B->State && B->State != &Thread && !threadExists(Process.Pid, B->Tid))
      releaseRows(*B);
}

void updateNames() {
  for (ThreadRows *B = AllThreadRows; B; B = B->Next) {
    if (B == Thread.Rows)
      updateOwnName(*B);
    else if (B->State)
      updateOthersName(*B);
  }
}

void threadWasNamed(const void *ThreadPointer, const char *Name) {
  ThreadName Text = {};
  strncpy(Text, Name, sizeof Text - 1);
  for (ThreadRows *B = AllThreadRows; B; B = B->Next)
    if (B->State && B->ThreadPointer == ThreadPointer)
      setName(*B, Text);
}

Slot *makeSlot(ThreadState &T, uint32_t Id) {
  ThreadRows &B = *T.Rows;
  if (!reachSlot(T, B, Id))
    return nullptr;
  Slot &S = B.Slots[Id];
  if (S.R)
    return &S;
  uint32_t Type = typeOfSite(Id);
  Cell *C = cellOfType(B, Type);
  Row *R = C ? addRow(B, Id, Type) : nullptr;
  if (!R)
    return nullptr;
  updateClock();
  S.C = C;
  orderStores(); // the fast path of a signal handler's event tests the row
  S.R = R;
  return &S;
}

Row *addAllocationLives(ThreadState &T, Row &R) {
  ThreadRows &B = *T.Rows;
  Locked L(Process.Mutex);
  if (R.AllocationLives)
    return reinterpret_cast<Row *>(TraceBase +
                                   uint64_t{R.AllocationLives} * 64);
  auto *Fresh = addElement<Row>(B.AllocationLives, ExtentKind::AllocationLives,
                                B.Index, 4 * kPage, 64 * kPage);
  if (!Fresh)
    return nullptr;
  Fresh->Site = R.Site;
  Fresh->Type = R.Type;
  publishElement(B.AllocationLives);
  R.AllocationLives = static_cast<uint32_t>(Process.Trace.offsetOf(Fresh) / 64);
  return Fresh;
}

Octave *makeOctave(Row *R, unsigned O) {
  if (O >= kOctaves)
    return nullptr;
  ThreadState &T = Thread;
  // Within an event that a signal interrupted: this lifetime is left out.
  if (Process.Mutex.isOwn() && isInside(T))
    return nullptr;
  SlowPath S(T);
  Locked L(Process.Mutex);
  auto *Fresh = addElement<Octave>(T.Rows->Octaves, ExtentKind::Octaves,
                                   T.Rows->Index, 4 * kPage, 64 * kPage);
  if (!Fresh)
    return nullptr;
  publishElement(T.Rows->Octaves);
  R->Octaves[O] = static_cast<uint32_t>(Process.Trace.offsetOf(Fresh) / 64);
  return Fresh;
}

void flushCell(Cell *C) {
  if (!TraceBase)
    return; // forked while a signal handler had interrupted an event
  int64_t Live = addToTotals(C);
  if (C->Type == kProcessCell)
    considerPeakNote(Live);
  if (INMEM_UNLIKELY(Process.Config.HeapAt == Options::HeapAtPeak) &&
      C->Type == kProcessCell && Thread.Guard == 0 && isHeapPeak(Live))
    takePeakHeapSnapshot(Live);
  if (INMEM_UNLIKELY(Process.Config.Stacks > 0) && C->Type == kProcessCell &&
      isNewPeak(Live))
    Thread.NewPeak = Live; // its block is not in its row yet
}

void leaveSlotsToChild(ThreadState &T, bool Leave) {
  ThreadRows *B = T.Rows;
  if (!B || (!Leave && B->LeavesSlots == 0)) // the rows are newer than the fork
    return;
  B->LeavesSlots += Leave ? 1 : UINT32_MAX;
  if (B->LeavesSlots != (Leave ? 1 : 0))
    return;
  wipePagesByFork(B->Slots, B->SlotCapacity * sizeof(Slot), !Leave);
  wipePagesByFork(B->Callers, kKnownCallers * sizeof(KnownCaller), !Leave);
  if (B->Paths)
    leavePathsToChild(*B->Paths, Leave);
}

void forgetThreads(ThreadState &T) {
  // The child finishes what the thread was doing at the fork.
  const ThreadState Before = T;
  T = {};
  T.Guard = Before.Guard;
  T.HasNoClock = Before.HasNoClock;
  T.Forks = Before.Forks;
  T.GuardingFork = Before.GuardingFork;
  T.Suspended = Before.Suspended;
  T.Ignoring = Before.Ignoring;
  T.Operator = Before.Operator;
  T.Deleted = Before.Deleted;
  forgetScopes();
  forgetThreadLives();
  AllThreadRows = FreeThreadRows = nullptr;
  RowsCount = 0;
  Process.ThreadCount = 0;
}

} // namespace inmem::rt
