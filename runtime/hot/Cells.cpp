//===- Cells.cpp ----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hot/Cells.h"

#include "hot/CommandQueue.h"
#include "hot/IndexReturn.h"
#include "hot/PeakNotes.h"
#include "hot/Recorder.h"
#include "hot/Threads.h"
#include "registry/RecordBuilder.h"
#include "state/Features.h"

namespace inmem::rt {

using namespace trace;

namespace {

/// A cell flushes at each of its first kEagerFlushes events, so that types with
/// few blocks have an exact peak with any number of threads.
constexpr uint32_t kEagerFlushes = 1024;
/// Lower bounds of the limit in bytes. A single thread's peak is exact with any
/// limit, so it flushes less often.
constexpr int64_t kLeastLimit = 1024, kLeastLimitAlone = 4096;
constexpr int64_t kMostLimit = 4 << 20;

/// Sums that all threads have flushed for one type, or for the process.
struct Totals {
  int64_t *Live, *Peak, *EarlierPeak;
};

/// The members are null if there is no memory for the type.
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

/// Adds the contents of another thread's cell, and its share of the peak, to
/// the totals. The owner's next event flushes the cell and begins a new peak.
void gatherPeak(const ThreadRows &B, Cell *C) {
  const Totals Of = totalsOf(C->Type);
  if (!Of.Live)
    return;
  // An open scope of that thread needs the high-water mark, so keep it.
  const bool Scoped =
      B.State && __atomic_load_n(&B.State->Scopes.Newest, __ATOMIC_RELAXED);
  const int64_t High =
      Scoped ? __atomic_load_n(&C->High, __ATOMIC_RELAXED)
             : __atomic_exchange_n(&C->High, kCommandLimit, __ATOMIC_RELAXED);
  const int64_t Owed = owedBy(__atomic_load_n(&C->Limit, __ATOMIC_RELAXED));
  raiseTo(Of.Peak, __atomic_load_n(Of.Live, __ATOMIC_RELAXED) - Owed + High);
  __atomic_store_n(&C->Flushes, 0, __ATOMIC_RELAXED);
  // Only the owner may change Delta. So its bytes are added to the total and
  // noted in Limit as owed: the sum of total and Delta, less the debt, stays
  // right whatever the owner does at the same time.
  const int64_t Held = __atomic_load_n(&C->Delta, __ATOMIC_RELAXED);
  __atomic_fetch_add(Of.Live, Held, __ATOMIC_RELAXED);
  const int64_t Before =
      __atomic_exchange_n(&C->Limit, kCommandLimit + Held, __ATOMIC_RELAXED);
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
  if (C->Type == kProcessCell &&
      INMEM_UNLIKELY(Thread.Scopes.Newest != nullptr))
    kFeatures.WatchFlush(Thread, *C);
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
  if (C->Type == kProcessCell) // racy: two threads may both raise it
    if (Candidate > Process.HighSinceReturn)
      Process.HighSinceReturn = Candidate;
  raiseTo(Peak, Candidate);
  if (C->Flushes < kEagerFlushes) {
    ++C->Flushes;
    listenForCommands(C);
    return Now;
  }
  // All threads together hold back less than 1/512 of the peak. With a lower
  // limit, threads that pass larger blocks to each other would contend for the
  // total at every event.
  uint32_t Others = Process.ThreadCount;
  int64_t Threads = Others ? Others : 1;
  int64_t Highest = __atomic_load_n(Peak, __ATOMIC_RELAXED);
  int64_t Least = Threads > 1 ? kLeastLimit : kLeastLimitAlone;
  int64_t Limit = Highest / (512 * Threads);
  Limit = Limit < Least ? Least : Limit > kMostLimit ? kMostLimit : Limit;
  int64_t None = 0; // unless a mark requested a flush
  __atomic_compare_exchange_n(&C->Limit, &None, Limit, false, __ATOMIC_RELAXED,
                              __ATOMIC_RELAXED);
  listenForCommands(C);
  return Now;
}

} // namespace

Cell *addCell(ThreadRows &B, uint32_t Type) {
  auto *C =
      addElement<Cell>(B.Cells, ExtentKind::Cells, B.Index, kPage, 16 * kPage);
  if (!C)
    return nullptr;
  C->Type = Type;
  publishElement(B.Cells);
  return C;
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

void addToLiveTotal(ThreadState &T, uint32_t Type, int64_t Bytes) {
  const auto [Live, Peak, Earlier] = totalsOf(Type);
  if (!Live)
    return;
  ThreadRows &B = *T.Rows;
  const Cell *C = Type == kProcessCell           ? B.ProcessCell
                  : Type < B.CellOfType.Capacity ? B.CellOfType[Type]
                                                 : nullptr;
  const int64_t Held = C ? C->Delta - owedBy(C->Limit) : 0;
  if (Type == kProcessCell && T.Scopes.Newest) {
    Cell Alone = {};
    Alone.Type = Type;
    Alone.Delta = Bytes;
    Alone.High = Held + Bytes;
    kFeatures.WatchFlush(T, Alone);
  }
  raiseTo(Peak, __atomic_add_fetch(Live, Bytes, __ATOMIC_RELAXED) + Held);
}

void changeLive(ThreadState &T, const Slot &S, int64_t Bytes) {
  if (!S.C)
    addToLiveTotal(T, S.R->Type, Bytes);
  else if (const Counting Now(T); Bytes >= 0)
    addLive(S.C, static_cast<uint64_t>(Bytes));
  else
    subtractLive(S.C, static_cast<uint64_t>(-Bytes));
}

/// \param BetweenEvents whether a heap snapshot may be taken: this thread is
/// not inside the runtime, apart from its event
static void flushCell(Cell *C, bool BetweenEvents) {
  if (!TraceBase)
    return; // a signal handler forked during an event
  int64_t Live = addToTotals(C);
  if (C->Type == kProcessCell)
    considerPeakNote(Live);
  if (INMEM_UNLIKELY(Process.Config.HeapAt >= Options::HeapAtPeak) &&
      C->Type == kProcessCell && BetweenEvents)
    kFeatures.ConsiderHeapPeak(Live);
  if (INMEM_UNLIKELY(Process.Config.Stacks > 0) && C->Type == kProcessCell &&
      isNewPeak(Live))
    Thread.NewPeak = Live; // the block is not yet in its row
}

void flushCell(Cell *C) { flushCell(C, Thread.Inside.Guard == 0); }

/// Returns false if commands wait that cannot be executed inside the runtime.
/// The next event tries again.
static bool executeBetweenEvents(ThreadState &T, bool OwnsGuard) {
  if (!commandsWait() || isWithin(T, OwnsGuard))
    return false;
  SlowPath S(T);
  kFeatures.ExecuteCommands();
  return true;
}

bool liveRose(uint64_t Size, bool OwnsGuard) {
  ThreadState &T = Thread;
  Cell *C = T.Process;
  if (INMEM_LIKELY(!commandsWait())) {
    flushCell(C, !isWithin(T, OwnsGuard));
    return true;
  }
  auto Bytes = static_cast<int64_t>(Size);
  C->Delta -= Bytes;
  C->High = C->Delta;
  flushCell(C);
  if (executeBetweenEvents(T, OwnsGuard) && !Process.Recording)
    return false;
  addLive(C, Size);
  return true;
}

void liveFell(uint64_t Size, bool OwnsGuard) {
  ThreadState &T = Thread;
  Cell *C = T.Process;
  if (INMEM_LIKELY(!commandsWait())) {
    flushCell(C);
  } else {
    C->Delta += static_cast<int64_t>(Size);
    flushCell(C);
    executeBetweenEvents(T, OwnsGuard);
    subtractLive(C, Size);
  }
  considerReturningIndex(OwnsGuard);
}

} // namespace inmem::rt
