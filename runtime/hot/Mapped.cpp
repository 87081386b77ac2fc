//===- Mapped.cpp ---------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hot/Mapped.h"

#include "allocator/Allocator.h"
#include "hot/CallerPaths.h"
#include "hot/RecorderSteps.h"
#include "index/LiveIndex.h"
#include "platform/Image.h"
#include "platform/ProgramMaps.h"
#include "platform/Tasks.h"
#include "state/SlowPath.h"

namespace inmem::rt {

using namespace trace;

constinit Relaxed<MapRecording> RecordsMappings = {};

namespace {

//===----------------------------------------------------------------------===//
// Totals in the trace
//===----------------------------------------------------------------------===//

/// Totals by site id; null: no total in this trace. The first is for unknown
/// callers.
constinit MappedTotal **TotalOf = nullptr;
constinit MappedTotal *All = nullptr;
constinit ExtentHeader *Extent = nullptr; ///< the newest
constexpr size_t kTableBytes = (size_t{kMaxSites} + 1) * sizeof(MappedTotal *);

/// Needs the mutex.
MappedTotal *addTotal(uint32_t Site, MapCall Call) {
  constexpr uint32_t kPerExtent =
      (kPage - sizeof(ExtentHeader)) / sizeof(MappedTotal);
  if (!Extent || Extent->Used == kPerExtent) {
    ExtentHeader *Fresh = Process.Trace.addExtent(ExtentKind::Mapped, 0, 0,
                                                  kPage - sizeof(ExtentHeader));
    if (!Fresh)
      return nullptr;
    Extent = Fresh;
  }
  const uint64_t At = Extent->Used;
  auto *Total = reinterpret_cast<MappedTotal *>(Extent + 1) + At;
  Total->Site = Site;
  Total->Call = Call;
  __atomic_store_n(&Extent->Used, At + 1, __ATOMIC_RELEASE);
  return Total;
}

bool makeTotals() {
  if (!TotalOf)
    TotalOf = static_cast<MappedTotal **>(mapPages(kTableBytes));
  if (!TotalOf)
    return false;
  if (!All)
    All = addTotal(kAllMapped, MapCall::Mmap);
  if (All && !TotalOf[0])
    __atomic_store_n(&TotalOf[0], addTotal(0, MapCall::Mmap), __ATOMIC_RELEASE);
  return All && TotalOf[0];
}

/// Creates the total of \p Site unless it exists. Returns false when out of
/// memory. Needs the guard, without the mutex.
bool prepareTotal(uint32_t Site, MapCall Call) {
  if (TotalOf && __atomic_load_n(&TotalOf[Site], __ATOMIC_ACQUIRE))
    return true;
  Locked L(Process.Mutex);
  if (!makeTotals())
    return false;
  if (!TotalOf[Site])
    __atomic_store_n(&TotalOf[Site], addTotal(Site, Call), __ATOMIC_RELEASE);
  return TotalOf[Site];
}

MappedTotal *totalOf(uint32_t Id) {
  return TotalOf && Id != kAllocatorsRange
             ? __atomic_load_n(&TotalOf[Id], __ATOMIC_ACQUIRE)
             : nullptr;
}

/// Concurrent readers may read each word at any time.
void store(uint64_t &Word, uint64_t Value) {
  __atomic_store_n(&Word, Value, __ATOMIC_RELAXED);
}

void addTo(MappedTotal *Total, uint64_t Bytes, bool IsCall) {
  if (!Total)
    return;
  store(Total->Bytes, Total->Bytes + Bytes);
  if (IsCall)
    store(Total->Calls, Total->Calls + 1);
  const uint64_t Live = Total->Bytes - Total->UnmappedBytes;
  if (Live > Total->PeakBytes)
    store(Total->PeakBytes, Live);
}

void subtractFrom(MappedTotal *Total, int64_t Bytes) {
  if (Total)
    store(Total->UnmappedBytes,
          Total->UnmappedBytes + static_cast<uint64_t>(Bytes));
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

struct MapEvent {
  enum Kind : uint32_t {
    Begin,  ///< [Start, Stop) is mapped, by Id
    Forget, ///< [Start, Stop) is mapped, but not recorded
    End,    ///< about to be unmapped
    Undo,   ///< unmapping failed
    Done    ///< unmapping succeeded
  } What;
  uint32_t Id;
  uintptr_t Start, Stop;
  uint64_t Token; ///< matches End with Undo or Done
};

constinit MappedRanges Ranges = {};
/// Ranges that are being unmapped.
struct Ending {
  MappedRange Range;
  uint64_t Token;
};
constinit PagedArray<Ending> Endings = {};
constinit uint64_t Tokens = 0;

void subtract(const MappedRange &R, int64_t Sign) {
  MappedTotal *Total = totalOf(R.Id);
  if (!Total)
    return; // mapped before a fork
  const int64_t Bytes = Sign * static_cast<int64_t>(R.End - R.Start);
  subtractFrom(Total, Bytes);
  subtractFrom(All, Bytes);
}

void removeRanges(uintptr_t Start, uintptr_t End) {
  Ranges.remove(
      Start, End, [](void *, const MappedRange &R) { subtract(R, /*Sign=*/1); },
      nullptr);
}

void beginRange(const MapEvent &E) {
  removeRanges(E.Start, E.Stop);
  if (E.What != MapEvent::Begin ||
      !Ranges.insert({E.Start, E.Stop, E.Id})) // out of memory
    return;
  if (E.Id == kAllocatorsRange)
    return;
  addTo(totalOf(E.Id), E.Stop - E.Start, /*IsCall=*/true);
  addTo(All, E.Stop - E.Start, /*IsCall=*/true);
}

void endRange(const MapEvent &E) {
  uint64_t Token = E.Token;
  Ranges.remove(
      E.Start, E.Stop,
      [](void *Of, const MappedRange &R) {
        if (Ending *New = Endings.add())
          *New = {R, *static_cast<uint64_t *>(Of)};
        subtract(R, /*Sign=*/1);
      },
      &Token);
}

void settle(uint64_t Token, bool Undo) {
  for (uint32_t I = Endings.Count; I-- > 0;) {
    if (Endings[I].Token != Token)
      continue;
    const MappedRange R = Endings[I].Range;
    Endings[I] = Endings[Endings.Count - 1];
    --Endings.Count;
    if (Undo && Ranges.insert(R))
      subtract(R, /*Sign=*/-1);
  }
}

void apply(const MapEvent &E) {
  switch (E.What) {
  case MapEvent::Begin:
  case MapEvent::Forget:
    return beginRange(E);
  case MapEvent::End:
    return endRange(E);
  case MapEvent::Undo:
  case MapEvent::Done:
    return settle(E.Token, E.What == MapEvent::Undo);
  }
}

//===----------------------------------------------------------------------===//
// The queue
//===----------------------------------------------------------------------===//

constexpr uint64_t kRoom = 1024;
/// State: twice the number of the round in which the slot is free; 1 more once
/// it is filled.
struct QueueSlot {
  uint64_t State;
  MapEvent Event;
};
constinit QueueSlot Queue[kRoom] = {};
constinit uint64_t Head = 0, Tail = 0;
/// Thread pointer of the thread that applies events; 0: none.
constinit uintptr_t Applier = 0;

constinit bool IsLocked = false; ///< by lockMapped(), on the thread Applier

uintptr_t self() { return reinterpret_cast<uintptr_t>(threadPointer()); }
bool isLockedHere() { return IsLocked && Applier == self(); }

/// Returns false if the queue is full.
bool enqueue(const MapEvent &E) {
  uint64_t At = __atomic_load_n(&Tail, __ATOMIC_RELAXED);
  while (true) {
    QueueSlot &S = Queue[At % kRoom];
    const uint64_t Free = At / kRoom * 2;
    const uint64_t State = __atomic_load_n(&S.State, __ATOMIC_ACQUIRE);
    if (State < Free)
      return false;
    if (State == Free &&
        __atomic_compare_exchange_n(&Tail, &At, At + 1, true, __ATOMIC_SEQ_CST,
                                    __ATOMIC_RELAXED)) {
      S.Event = E;
      __atomic_store_n(&S.State, Free + 1, __ATOMIC_SEQ_CST);
      return true;
    }
    if (State != Free)
      At = __atomic_load_n(&Tail, __ATOMIC_RELAXED);
  }
}

bool hasFilled(uint64_t At) {
  return __atomic_load_n(&Queue[At % kRoom].State, __ATOMIC_SEQ_CST) ==
         At / kRoom * 2 + 1;
}

void applyFilled() {
  while (hasFilled(Head)) {
    QueueSlot &S = Queue[Head % kRoom];
    apply(S.Event);
    __atomic_store_n(&S.State, S.State + 1, __ATOMIC_RELEASE);
    __atomic_store_n(&Head, Head + 1, __ATOMIC_SEQ_CST);
  }
}

/// Applies the queued events, unless another thread, or code that this signal
/// handler has interrupted, is doing so. \p IsOutermost: no code was
/// interrupted; if this thread still seems to be the applier, it left by a
/// jump.
void applyAll(bool IsOutermost) {
  do {
    uintptr_t Nobody = 0;
    if (!__atomic_compare_exchange_n(&Applier, &Nobody, self(), false,
                                     __ATOMIC_SEQ_CST, __ATOMIC_RELAXED) &&
        !(IsOutermost && Nobody == self()))
      return;
    applyFilled();
    __atomic_store_n(&Applier, 0, __ATOMIC_SEQ_CST);
    // An event queued before Applier was reset was left to us. Each side stores
    // one word and then loads the other's: the queueing thread stores State and
    // tries Applier, this thread resets Applier and loads State. Sequentially
    // consistent order makes one of the two notice, so no event stays queued.
  } while (hasFilled(__atomic_load_n(&Head, __ATOMIC_SEQ_CST)));
}

void add(const MapEvent &E, bool IsOutermost) {
  constexpr unsigned kMostTries = 1000;
  for (unsigned Tries = 0; !enqueue(E); ++Tries) {
    applyAll(IsOutermost);
    if (!IsOutermost && Tries == kMostTries)
      return countDropped(); // the interrupted thread may be the applier
    yieldProcessor();
  }
  applyAll(IsOutermost);
}

//===----------------------------------------------------------------------===//
// The owner of a mapping
//
// C libraries map their own memory by internal names that are not interposed.
// Other allocators call mmap as programs do: from the allocator's library, or
// inside a call of malloc.
//===----------------------------------------------------------------------===//

enum class Mapper : uint8_t {
  Program,
  CLibrary,
  Allocator ///< another malloc; its blocks are counted
};

/// Files that contain the C library and malloc.
struct Libraries {
  bool IsKnown;
  bool AllocatorIsElsewhere; ///< malloc is not the C library's
  AddressRange C;            ///< empty in a static program
  AddressRange Allocator;    ///< the library that has malloc; or empty
};

Libraries findLibraries() {
  Libraries L = {};
  L.IsKnown = true;
  L.AllocatorIsElsewhere = Real.LeastRequest != 0 || Real.Packs ||
                           Real.MallocBeforeUs || Real.OperatorsReplaced;
  if (const uintptr_t InC = addressInCLibrary()) {
    L.C = Image::spanAround(InC);
    Image Of;
    if (Image::around(reinterpret_cast<uintptr_t>(Real.malloc), Of) &&
        *Of.name() && Of.span().Start != L.C.Start)
      L.Allocator = Of.span();
  }
  return L;
}

const Libraries &libraries() {
  static constinit Libraries Known = {};
  if (!__atomic_load_n(&Known.IsKnown, __ATOMIC_ACQUIRE)) {
    resolveAllocator();
    const Libraries Found = findLibraries();
    Locked L(Process.Mutex);
    if (!Known.IsKnown) {
      Known.C = Found.C;
      Known.Allocator = Found.Allocator;
      Known.AllocatorIsElsewhere = Found.AllocatorIsElsewhere;
      __atomic_store_n(&Known.IsKnown, true, __ATOMIC_RELEASE);
    }
  }
  return Known;
}

/// Returns true if a hook is on the stack.
bool isInsideHook(ThreadState &T, const uintptr_t *Back) {
  constexpr unsigned kMostFrames = 24;
  CallerPaths *Paths = T.Rows->Paths;
  if (!Paths)
    return false;
  CallerFrame Frames[kMostFrames];
  uintptr_t Function = 0;
  bool Found = false;
  walkCallers(
      Paths->Unwind, reinterpret_cast<uintptr_t>(Back), Frames, kMostFrames,
      Function,
      [](void *Of, uintptr_t Frame) {
        auto &IsFound = *static_cast<bool *>(Of);
        IsFound = isHook(Frame - 1);
        return !IsFound;
      },
      &Found);
  return Found;
}

/// Classifies the code that called mmap, by the return address \p Return, saved
/// at \p Back. \p T has rows. Needs the guard, without the mutex; may change
/// errno.
Mapper mapperOf(ThreadState &T, uintptr_t Return, const uintptr_t *Back) {
  const Libraries &L = libraries();
  if (L.C.contains(Return))
    return Mapper::CLibrary;
  return L.Allocator.contains(Return) ||
                 (L.AllocatorIsElsewhere && isInsideHook(T, Back))
             ? Mapper::Allocator
             : Mapper::Program;
}

/// The id of the caller; kAllMapped if the mapping is not recorded.
uint32_t callerOf(ThreadState &T, MapCall Call, uintptr_t Return,
                  const uintptr_t *Back) {
  Attached A(T);
  if (!A)
    return prepareTotal(0, Call) ? 0 : kAllMapped;
  switch (mapperOf(T, Return, Back)) {
  case Mapper::CLibrary:
    return kAllMapped;
  case Mapper::Allocator:
    return kAllocatorsRange;
  case Mapper::Program:
    break;
  }
  struct inmem_site *Site = knownCallerSite(T, Return);
  uint32_t Id = Site ? idForSite(Site, UINT64_MAX) : 0;
  if (Id)
    Id = idWithCaller(T, Site, Id, Back);
  if (!prepareTotal(Id, Call))
    return kAllMapped;
  return Id;
}

} // namespace

Unmapping::Unmapping(uintptr_t Start, uintptr_t End) {
  const SlowEvent S(Thread);
  // A forked child that has not noticed the fork still maps its parent's trace.
  if (Start >= End || isUnnoticedChild() ||
      (Process.State != InitState::Ready && Ranges.isEmpty()))
    return;
  Token = __atomic_add_fetch(&Tokens, 1, __ATOMIC_RELAXED);
  add({MapEvent::End, 0, Start, End, Token}, static_cast<bool>(S));
}

void Unmapping::undo() {
  const SlowEvent S(Thread);
  if (Token)
    add({MapEvent::Undo, 0, 0, 0, Token}, static_cast<bool>(S));
}

void Unmapping::done() {
  const SlowEvent S(Thread);
  if (Token)
    add({MapEvent::Done, 0, 0, 0, Token}, static_cast<bool>(S));
}

void noteMapped(uintptr_t Start, uintptr_t End, MapCall Call, uintptr_t Return,
                const uintptr_t *Back) {
  ThreadState &T = Thread;
  const SlowEvent S(T);
  MapEvent E = {MapEvent::Begin, 0, Start, End, 0};
  if (!S) {
    // A signal handler's event inside the runtime: its caller stays unknown.
    if (!totalOf(0))
      return countDropped();
  } else {
    const bool IsRecorded = mayRecord(T) && RecordsMappings == MapRecording::On;
    E.Id = IsRecorded ? callerOf(T, Call, Return, Back) : kAllMapped;
    if (E.Id == kAllMapped)
      E.What = MapEvent::Forget;
    if (E.What == MapEvent::Forget && Ranges.isEmpty())
      return;
  }
  add(E, static_cast<bool>(S));
}

void lockMapped() {
  uintptr_t Nobody = 0;
  while (!__atomic_compare_exchange_n(&Applier, &Nobody, self(), false,
                                      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
    if (Nobody == self())
      return;
    Nobody = 0;
    yieldProcessor();
  }
  IsLocked = true;
}

void unlockMapped() {
  if (!isLockedHere())
    return;
  IsLocked = false;
  __atomic_store_n(&Applier, 0, __ATOMIC_SEQ_CST);
  applyAll(/*IsOutermost=*/false);
}

void becomeMappedOfChild() {
  if (isLockedHere())
    applyFilled();
  else
    Ranges.clear();
  // Empties all slots, even if one of the parent's other threads was about to
  // fill it.
  for (QueueSlot &S : Queue)
    S.State = 0;
  Head = Tail = 0;
  Endings.Count = 0;
  IsLocked = false;
  Applier = 0;
}

void forgetMappedTotals(bool KeepRanges) {
  if (!KeepRanges) {
    lockMapped();
    Ranges.clear();
  }
  if (TotalOf)
    dropPages(TotalOf, kTableBytes);
  All = nullptr;
  Extent = nullptr;
  if (!KeepRanges)
    unlockMapped();
}

const MappedRanges &mappedRanges() { return Ranges; }

} // namespace inmem::rt
