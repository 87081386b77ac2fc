//===- Retag.cpp - Blocks that learn their type after the fact ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hot/Retag.h"

#include "hot/CallerPaths.h"
#include "hot/EventStream.h"
#include "hot/RecorderSteps.h"
#include "hot/Sampling.h"
#include "registry/SiteRegistry.h"
#include "stacks/Stacks.h"
#include "state/Features.h"
#include "state/Runtime.h"

namespace inmem::rt {

using namespace trace;

namespace {

/// The newest block of a thread, with its entry in the index.
struct Newest {
  IndexEntry *E;
  IndexEntry Value; ///< 0: not in the index
  uint64_t Size;
};

INMEM_INLINE Newest findNewest(ThreadState &T, void *P) {
  auto Address = reinterpret_cast<uintptr_t>(P);
  IndexEntry *E =
      P == T.Fast.LastAllocated && isDirect(P) ? entryBelow(Address) : nullptr;
  IndexEntry Value = E ? __atomic_load_n(E, __ATOMIC_RELAXED) : 0;
  if (!Value)
    return {nullptr, 0, 0};
  uint64_t Size = sizeIn(Value);
  if (INMEM_UNLIKELY(Size == kSizeFollows))
    Size = __atomic_load_n(E + 1, __ATOMIC_RELAXED);
  return {E, Value, Size};
}

/// The blocks that may move from their sites to another.
enum class RetagPolicy : uint8_t {
  Always,
  IfUntyped,    ///< if their type is unknown
  IfSizeMatches ///< as IfUntyped, if the request explains their size; "bytes"
                ///< adds nothing to what is known to be bytes
};

/// Returns true if a block of \p From, which has a type, may become one of \p
/// Site.
INMEM_SLOW bool takesFromTyped(uint32_t From, struct inmem_site *Site,
                               RetagPolicy What) {
  bool Bytes = What == RetagPolicy::IfSizeMatches &&
               relative<inmem_type>(Site->type)->size == 1;
  return What == RetagPolicy::Always || !(Bytes || hasObjectType(From));
}

/// The id of blocks of site \p From after \p Site, with the id \p Id, has taken
/// them over; 0 if unknown.
INMEM_INLINE uint32_t knownAfterMove(const ThreadState &T,
                                     const struct inmem_site *Site, uint32_t Id,
                                     uint32_t From) {
  const CallerPaths *P = pathsOfMove(T, Site);
  if (!P)
    return Id;
  const CallerMove &M = P->Moves[moveIndex(From, Id)];
  return M.From == From && M.Site == Id ? M.To : 0;
}

/// The usual case of retagBlock(): the thread's newest block, with both sites
/// below \p Slots and set up on this thread. Returns true if this case applies.
/// \p To is then the block's new id, or 0 if it keeps its own.
INMEM_INLINE bool retagQuickly(ThreadState &T, const Newest &N, uint32_t Slots,
                               struct inmem_site *Site, RetagPolicy What,
                               uint32_t &To) {
  const uint32_t Plain = idOf(Site), From = siteIn(N.Value);
  if (INMEM_UNLIKELY(Plain >= Slots) || INMEM_UNLIKELY(From >= Slots) ||
      interruptsCount(T))
    return false;
  const uint32_t Id = knownAfterMove(T, Site, Plain, From);
  if (INMEM_UNLIKELY(Id == 0) || INMEM_UNLIKELY(Id >= Slots))
    return false;
  const Slot New = T.Fast.Slots[Id];
  if (INMEM_UNLIKELY(!New.R) || INMEM_UNLIKELY(!New.R->Type))
    return false;
  const Slot Old = T.Fast.Slots[From];
  if (INMEM_UNLIKELY(!Old.R))
    return false;
  To =
      !Old.R->Type || (From != Id && takesFromTyped(From, Site, What)) ? Id : 0;
  if (!To)
    return true;
  const Counting Now(T);
  bump(Old.R->MovedOut, 1);
  bump(Old.R->MovedOutBytes, N.Size);
  subtractLive(Old.C, N.Size);
  bump(New.R->Allocations, 1);
  bump(New.R->Bytes, N.Size);
  addLive(New.C, N.Size);
  __atomic_store_n(N.E, N.Value - siteEntry(From) + siteEntry(Id),
                   __ATOMIC_RELAXED);
  return true;
}

/// retagBlock() with mode=trace.
INMEM_ASIDE bool retagTraced(void *P, struct inmem_site *Site,
                             RetagPolicy What) {
  ThreadState &T = Thread;
  const Newest N = findNewest(T, P);
  QuicklyGuarded G(T); // keeps signal handlers' events out of ours
  uint32_t To = 0;
  if (!N.Value || !retagQuickly(T, N, T.Rows->SlotCapacity, Site, What, To))
    return false;
  if (To)
    writeWholeEvent(T, EventKind::Retag, To, N.Size, false, nullptr,
                    siteIn(N.Value));
  return true;
}

/// Enters \p B, which takeBlock() removed from \p P, as a block of site \p Id.
/// \returns false, without effect, if there is no room to count it
bool moveBlock(ThreadState &T, void *P, Block B, uint32_t Id) {
  if (Process.Config.Stacks)
    Id = siteWithStackOf(Id, B.site());
  const Slot New = slotOfEvent(T, Id);
  if (!New.R)
    return false;
  const Slot Old = slotOfEvent(T, B.site());
  if (!Old.R)
    return false;
  uint32_t From = B.site();
  {
    const Counting Now(T);
    Old.R->MovedOut += 1;
    Old.R->MovedOutBytes += B.Size;
    changeLive(T, Old, -static_cast<int64_t>(B.Size));
    New.R->Allocations += 1;
    New.R->Bytes += B.Size;
    changeLive(T, New, static_cast<int64_t>(B.Size));
  }
  if (Process.Config.SampleBytes) {
    double Weight = weightOf(B.Size);
    New.R->WeightedAllocations += Weight;
    New.R->WeightedBytes += Weight * static_cast<double>(B.Size);
    Old.R->WeightedAllocations -= Weight;
    Old.R->WeightedBytes -= Weight * static_cast<double>(B.Size);
  }
  B = {Id, B.thinned(), B.birth(), B.Size};
  putBack(P, B);
  if (watchesFrees(T))
    kFeatures.WatchMove(T, P, B, From);
  if (Process.WritesEvents)
    writeWholeEvent(T, EventKind::Retag, Id, B.Size, false, nullptr, From);
  return true;
}

/// The general case of retagBlock(). \p Needed is null, or the request that
/// must explain the block's size.
INMEM_COLD void retagSlowly(void *P, struct inmem_site *Site, RetagPolicy What,
                            const Request *Needed) {
  ThreadState &T = Thread;
  if (!P || isInside(T))
    return;
  if (T.Fast.Mode == RecordMode::Traced && !Needed &&
      retagTraced(P, Site, What))
    return;
  SlowEvent Scope(T);
  if (!Scope || !mayRecord(T))
    return;
  Announced This(T, P);
  Block B = takeBlock(P);
  if (!B)
    return;
  auto PutBack = [&] { putBack(P, B); };
  if (B.site() <= Process.InheritedSites ||
      (Needed && !Needed->explains(B.Size)))
    return PutBack();
  if (typeOfSite(B.site()) && !takesFromTyped(B.site(), Site, What))
    return PutBack();
  Attached A(T);
  // A site without a type does not take over a block whose site has one.
  if (!A || (!Site->type && typeOfSite(B.site()) && !keepsType(B.site())))
    return PutBack();
  uint32_t Id = idForSite(Site, B.Size);
  if (Id)
    Id = idKeepingType(Id, B.site());
  if (!Id || plainSite(Id) == plainSite(B.site()) || isSiteExcluded(Id))
    return PutBack();
  if (!moveBlock(T, P, B, idAfterMove(T, Site, Id, B.site())))
    PutBack();
}

/// Out of line, so that the path that retags nothing saves no registers.
__attribute__((noinline)) void retagExplained(void *P, struct inmem_site *Site,
                                              IndexEntry *E, IndexEntry Value,
                                              uint64_t Size) {
  ThreadState &T = Thread;
  uint32_t To;
  if (!retagQuickly(T, {E, Value, Size}, T.Fast.AllocateSlots, Site,
                    RetagPolicy::IfSizeMatches, To))
    retagSlowly(P, Site, RetagPolicy::IfSizeMatches, nullptr);
}

INMEM_COLD void retagIfExplained(void *P, struct inmem_site *Site,
                                 uint64_t Unit, uint64_t A, uint64_t B) {
  const Request Asked = {Unit, A, B};
  retagSlowly(P, Site, RetagPolicy::IfSizeMatches, &Asked);
}

/// Moves the block that begins at \p P, if any, to \p Site.
INMEM_INLINE void retagBlock(void *P, struct inmem_site *Site,
                             RetagPolicy What) {
  ThreadState &T = Thread;
  const Newest N = findNewest(T, P);
  uint32_t To;
  if (!N.Value || !retagQuickly(T, N, T.Fast.AllocateSlots, Site, What, To))
    retagSlowly(P, Site, What, nullptr);
}

} // namespace

void retag(void *P, struct inmem_site *Site) {
  // A function that returns a new block has just allocated it. Any other
  // pointer may point into an arena, of which the index has no blocks.
  if (P == Thread.Fast.LastAllocated)
    retagBlock(P, Site, RetagPolicy::Always);
}

void retagOwned(void *P, struct inmem_site *Site) {
  retagBlock(P, Site, RetagPolicy::IfUntyped);
}

void retagSized(void *P, struct inmem_site *Site, uint64_t Unit, uint64_t A,
                uint64_t B) {
  ThreadState &T = Thread;
  if (P != T.Fast.LastAllocated && P != __inmem_returned)
    return;
  const Newest N = findNewest(T, P);
  if (INMEM_UNLIKELY(!N.Value))
    return retagIfExplained(P, Site, Unit, A, B);
  if (Request{Unit, A, B}.explains(N.Size))
    retagExplained(P, Site, N.E, N.Value, N.Size);
}

void becomeObject(void *P, const struct inmem_type *Type) {
  constexpr uint64_t kMostForAlignment = 15;
  ThreadState &T = Thread;
  Block B = peekBlock(P);
  auto IsRaw = [&] {
    return B && B.site() > Process.InheritedSites && !hasObjectType(B.site()) &&
           B.Size - Type->size <= kMostForAlignment;
  };
  if (!IsRaw() || !mayRecord(T))
    return;
  Announced This(T, P);
  B = takeBlock(P);
  if (!B)
    return;
  Attached A(T);
  uint32_t Id = 0;
  if (A && IsRaw()) {
    Locked L(Process.Mutex);
    Id = registerPlacedSite(plainSite(B.site()), Type);
    if (Id)
      Id = siteWithCallerOf(Id, B.site());
  }
  if (!Id || isSiteExcluded(Id) || !moveBlock(T, P, B, Id))
    putBack(P, B);
}

} // namespace inmem::rt
