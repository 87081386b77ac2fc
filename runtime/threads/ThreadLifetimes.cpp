//===- ThreadLifetimes.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "threads/ThreadLifetimes.h"

#include "index/LiveIndex.h"
#include "platform/Clocks.h"
#include "platform/Image.h"
#include "platform/Tasks.h"
#include "registry/RecordBuilder.h"
#include "registry/SiteRegistry.h"
#include "stacks/Stacks.h"
#include "state/Runtime.h"
#include "tables/PagedArray.h"
#include "unwind/Unwind.h"
#include "unwind/UnwindTables.h"

#include <string.h>

namespace inmem::rt {

using namespace trace;

namespace {

/// Unless a watcher runs, threads beyond this number share one record. These
/// records take 8 MB of trace.
constexpr uint32_t kMostKept = 1 << 16;

constinit PagedArray<LivedThread> All = {};
/// The number of live threads without rows.
constinit uint32_t WithoutBlock = 0;
constinit ExtentHeader *Extent = nullptr;
constinit uint64_t BeganAtNs = 0;
constinit uint32_t KeepingAll = 0;

struct OwnThreadId {
  uint32_t Tid;  ///< thread may have ended; 0: unused
  bool HasBlock; ///< is counted in Process.ThreadCount
};
constexpr uint32_t kMostOwn = 64;
constinit OwnThreadId Own[kMostOwn] = {};
constinit uint32_t OwnStarting =
    0; ///< threads started whose ids are still unknown
/// The number of threads of the program that have not taken rows yet.
constinit uint32_t Expected = 0;
constinit __thread bool IsOwn __attribute__((tls_model("initial-exec"))) =
    false;

OwnThreadId *findOwn(uint32_t Tid) {
  for (OwnThreadId &Slot : Own)
    if (Slot.Tid == Tid)
      return &Slot;
  return nullptr;
}
void forgetOwn(uint32_t Tid) {
  if (OwnThreadId *Slot = findOwn(Tid))
    *Slot = {};
}
void setOwnHasBlock(uint32_t Tid, bool HasBlock) {
  if (OwnThreadId *Slot = findOwn(Tid))
    Slot->HasBlock = HasBlock;
}

/// Adds a thread; null without room.
LivedThread *addLifetime(uint32_t Tid, uint32_t Flags, const char *Name) {
  if (!All.reserve(uint64_t{All.Count} + 1))
    return nullptr;
  auto *Lifetime = addElement<ThreadLifetime>(
      Extent, ExtentKind::ThreadLifetimes, 0, kPage, 64 * kPage);
  if (!Lifetime)
    return nullptr;
  if (All.Count == 0)
    BeganAtNs = Thread.Fast.HasNoClock ? 0 : monotonicNs();
  Lifetime->Tid = Tid;
  Lifetime->Flags = Flags;
  Lifetime->BeganNs = sinceBegan();
  if (Name)
    memcpy(Lifetime->Name, Name, sizeof Lifetime->Name);
  All[All.Count] = {Lifetime, nullptr, 0, nullptr};
  return &All[All.Count];
}

void publishLifetime() {
  publishElement(Extent);
  ++All.Count;
}

bool isAliveWithoutBlock(const LivedThread &T) {
  return !T.Rows && !T.Lifetime->EndedNs;
}

/// A thread that was listed before it had rows; or null.
LivedThread *findWithoutBlock(uint32_t Tid) {
  for (uint32_t I = All.Count; WithoutBlock > 0 && I-- > 0;)
    if (isAliveWithoutBlock(All[I]) && All[I].Lifetime->Tid == Tid)
      return &All[I];
  return nullptr;
}

struct SortedTids {
  const uint32_t *Tids;
  uint32_t Count;
  /// The index of \p Tid, or Count if it is not in the list.
  uint32_t indexOf(uint32_t Tid) const {
    uint32_t Low = 0, High = Count;
    while (Low < High) {
      const uint32_t Middle = Low + (High - Low) / 2;
      if (Tids[Middle] < Tid)
        Low = Middle + 1;
      else
        High = Middle;
    }
    return Low < Count && Tids[Low] == Tid ? Low : Count;
  }
  bool has(uint32_t Tid) const { return indexOf(Tid) < Count; }
};

/// True if a thread with this id ended less than a second ago: the kernel may
/// still list it.
bool hasJustEnded(uint32_t Tid) {
  constexpr uint64_t kMomentNs = 1000000000;
  const uint64_t Now = sinceBegan();
  for (uint32_t I = All.Count; I-- > 0;)
    if (const ThreadLifetime &L = *All[I].Lifetime; L.Tid == Tid)
      return L.EndedNs != 0 && Now - L.EndedNs < kMomentNs;
  return false;
}

void end(LivedThread &T, const ThreadCounts &After) {
  T.Lifetime->After = After;
  // A concurrent reader that finds it ended also finds After.
  const uint64_t Now = sinceBegan();
  __atomic_store_n(&T.Lifetime->EndedNs, Now ? Now : 1, __ATOMIC_RELEASE);
}

/// The kernel's list alone does not suffice: it may be older than the thread,
/// and it lacks some threads while others end.
bool isGone(uint32_t Tid, const SortedTids &There) {
  return !There.has(Tid) && !threadExists(Process.Pid, Tid);
}

void endThoseThatAreNot(const SortedTids &There) {
  for (uint32_t I = 0; WithoutBlock > 0 && I < All.Count; ++I)
    if (isAliveWithoutBlock(All[I]) && isGone(All[I].Lifetime->Tid, There)) {
      end(All[I], {});
      --WithoutBlock;
    }
  for (OwnThreadId &Slot : Own)
    if (Slot.Tid != 0 && isGone(Slot.Tid, There))
      Slot = {};
}

/// The function in which a libstdc++ thread begins. The library calls a
/// function of its state object (vptr, then a tuple of the callable and its
/// arguments, reversed). The result is that function, or the callable if it is
/// a pointer to a function. \returns 0 if it is neither
uintptr_t startOfStdThread(const void *Argument) {
  const auto *Words = static_cast<const uintptr_t *>(Argument);
  const Block B = peekBlock(const_cast<void *>(Argument));
  if (!B || B.Size < 2 * sizeof(uintptr_t) ||
      reinterpret_cast<uintptr_t>(Words) % sizeof(uintptr_t) != 0)
    return 0;
  const auto *Table = reinterpret_cast<const uintptr_t *>(Words[0]);
  if (Words[0] % sizeof(uintptr_t) != 0 || !isReadable(Table + 2))
    return 0;
  // The callable comes last; a pointer to member takes two words.
  const size_t Last = B.Size / sizeof(uintptr_t) - 1;
  const size_t At = Last > 1 && Words[Last] == 0 ? Last - 1 : Last;
  const auto IsFunction = [](uintptr_t Code) {
    return Code != 0 && functionStart(Code) == Code;
  };
  return IsFunction(Words[At])  ? Words[At]
         : IsFunction(Table[2]) ? Table[2]
                                : 0;
}

} // namespace

ThreadCounts countsOf(const ThreadRows &B) {
  ThreadCounts Sum = {};
  forEachRowOf(B, [&](uint64_t, const Row &R) {
    if (kindOfSite(R.Site) >= INMEM_SITE_OBJECT)
      return; // no blocks
    Sum.Allocations += R.Allocations - R.MovedOut;
    Sum.Bytes += R.Bytes - R.MovedOutBytes;
    Sum.Frees += R.Frees;
    Sum.FreedBytes += R.FreedBytes;
    Sum.Temporary += R.Temporary;
  });
  return Sum;
}

ThreadCounts difference(const ThreadCounts &Now, const ThreadCounts &Before) {
  const auto Less = [](uint64_t A, uint64_t B) { return A > B ? A - B : 0; };
  return {Less(Now.Allocations, Before.Allocations),
          Less(Now.Bytes, Before.Bytes), Less(Now.Frees, Before.Frees),
          Less(Now.FreedBytes, Before.FreedBytes),
          Less(Now.Temporary, Before.Temporary)};
}

ThreadCounts countsOf(const LivedThread &T) {
  if (!T.Rows)
    return {};
  return difference(T.Lifetime->EndedNs ? T.Lifetime->After : countsOf(*T.Rows),
                    T.Lifetime->Before);
}

LivedThread &livedThread(uint32_t N) { return All[N - 1]; }
uint32_t livedThreadCount() { return All.Count; }

uint32_t livedThreadWithTid(uint32_t Tid) {
  for (uint32_t N = All.Count; N > 0; --N)
    if (All[N - 1].Lifetime->Tid == Tid && !All[N - 1].Lifetime->EndedNs)
      return N;
  return 0;
}

bool isOwnThread(uint32_t Tid) { return findOwn(Tid) != nullptr; }

uint64_t sinceBegan() {
  const uint64_t Now = Thread.Fast.HasNoClock ? BeganAtNs : monotonicNs();
  return Now - BeganAtNs;
}

void beginThreadLifetime(ThreadRows &B) {
  if (IsOwn)
    setOwnHasBlock(B.Tid, true);
  if (B.Lifetime || IsOwn || threadHasEnded())
    return;
  forgetOwn(B.Tid);
  // The counts are those at the previous thread's end, unless something counted
  // after it.
  const ThreadCounts Before = B.CountsStale ? countsOf(B) : B.CountsAtEnd;
  LivedThread *T = findWithoutBlock(B.Tid);
  if (T) {
    --WithoutBlock;
  } else {
    const bool Rest = All.Count >= kMostKept && KeepingAll == 0;
    if (Rest && B.HasRest) {
      B.Lifetime = 0;
      return;
    }
    T = addLifetime(Rest ? 0 : B.Tid, Rest ? uint32_t{kLifetimeOfRest} : 0u,
                    B.Name);
    if (!T) {
      B.Lifetime = 0;
      return;
    }
    B.HasRest = Rest;
  }
  const bool Fresh = T == &All[All.Count];
  T->Rows = &B;
  T->Lifetime->Before = Before;
  T->Lifetime->Index = B.Index;
  B.Lifetime = static_cast<uint32_t>(T - All.Data) + 1;
  if (Fresh)
    publishLifetime();
}

void endThreadLifetime(ThreadRows &B) {
  setOwnHasBlock(B.Tid, false);
  B.CountsStale = !B.Lifetime; // for example, after the thread's end
  if (!B.Lifetime)
    return;
  B.CountsAtEnd = countsOf(B);
  LivedThread &T = All[B.Lifetime - 1];
  if (!(T.Lifetime->Flags & kLifetimeOfRest))
    end(T, B.CountsAtEnd);
  B.Lifetime = 0;
}

void renameThreadLifetime(const ThreadRows &B) {
  if (B.Lifetime && !(All[B.Lifetime - 1].Lifetime->Flags & kLifetimeOfRest))
    memcpy(All[B.Lifetime - 1].Lifetime->Name, B.Name, sizeof B.Name);
}

ThreadStart findThreadStart(uintptr_t Routine, const void *Argument) {
  Image File;
  if (Image::around(Routine, File) && File.isNamed("libstdc++.so"))
    if (const uintptr_t Start = startOfStdThread(Argument))
      Routine = Start;
  return {Routine, codeAddressOf(Routine)};
}

void setThreadStart(ThreadRows &B, const ThreadStart &Start) {
  if (!B.Lifetime)
    return;
  LivedThread &T = All[B.Lifetime - 1];
  T.Start = Start.Code;
  T.Lifetime->Start = Start.Address;
}

void expectThread(bool Created) {
  __atomic_fetch_add(&Expected, Created ? 1u : ~0u, __ATOMIC_ACQ_REL);
}

bool isThreadExpected() {
  return __atomic_load_n(&Expected, __ATOMIC_ACQUIRE) != 0;
}

bool mayBeStarting(const LivedThread &T) {
  return isAliveWithoutBlock(T) && isThreadExpected();
}

void noteOtherThreads(const uint32_t *Tids, uint32_t TidCount) {
  const SortedTids There = {Tids, TidCount};
  endThoseThatAreNot(There);
  // Marks threads that have rows, are ours, or are known already.
  auto *Known = static_cast<unsigned char *>(mapPages(TidCount + 1));
  if (!Known)
    return;
  for (const ThreadRows *B = AllThreadRows; B; B = B->Next)
    if (B->State)
      Known[There.indexOf(B->Tid)] = 1;
  for (const OwnThreadId &Slot : Own)
    if (Slot.Tid)
      Known[There.indexOf(Slot.Tid)] = 1;
  for (uint32_t I = 0, Left = WithoutBlock; Left > 0 && I < All.Count; ++I)
    if (isAliveWithoutBlock(All[I])) {
      Known[There.indexOf(All[I].Lifetime->Tid)] = 1;
      --Left;
    }
  for (uint32_t I = 0; I < TidCount && OwnStarting == 0; ++I) {
    char Name[sizeof(ThreadLifetime::Name)] = {};
    if (Known[I] || hasJustEnded(Tids[I]) || !readThreadName(Tids[I], Name))
      continue;
    if (!addLifetime(Tids[I], 0, Name))
      break;
    publishLifetime();
    ++WithoutBlock;
  }
  unmapPages(Known, TidCount + 1);
}

void expectOwnThread(bool Started) { OwnStarting += Started ? 1u : ~0u; }

/// A slot for another of our threads. A few of them run at a time; the others
/// have ended since noteOtherThreads() last looked.
static OwnThreadId *freeSlot() {
  if (OwnThreadId *Slot = findOwn(0))
    return Slot;
  for (OwnThreadId &Slot : Own)
    if (!threadExists(Process.Pid, Slot.Tid))
      return &Slot;
  return nullptr;
}

void addOwnThread() {
  IsOwn = true;
  --OwnStarting;
  if (OwnThreadId *Slot = freeSlot())
    *Slot = {threadId(), Thread.Rows != nullptr};
}

uint32_t knownThreadCount() {
  uint32_t Known = WithoutBlock + Process.ThreadCount;
  for (const OwnThreadId &Slot : Own)
    Known += Slot.Tid != 0 && !Slot.HasBlock;
  return Known;
}

void keepAllThreads(bool Keep) { KeepingAll += Keep ? 1u : ~0u; }

void forgetThreadLifetimes() {
  All.release();
  WithoutBlock = KeepingAll = Expected = 0;
  Extent = nullptr;
  OwnStarting = 0;
  memset(Own, 0, sizeof Own);
}

} // namespace inmem::rt
