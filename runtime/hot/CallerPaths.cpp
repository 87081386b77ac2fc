//===- CallerPaths.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hot/CallerPaths.h"

#include "hot/FastPath.h"
#include "hot/RecorderSteps.h"
#include "hot/Rows.h"
#include "hot/Threads.h"
#include "registry/SiteRegistry.h"
#include "stacks/CallLabels.h"
#include "state/Runtime.h"
#include "unwind/UnwindTables.h"

#include <string.h>

namespace inmem::rt {

namespace {

/// More lead nowhere: the site stands for them.
constexpr unsigned kMostFrames = 24;

size_t placeOf(uintptr_t From, uintptr_t Return, uint32_t Mask) {
  return (From * 0x9E3779B97F4A7C15u ^ Return * 0xC2B2AE3D27D4EB4Fu) >> 32 &
         Mask;
}

bool isNode(const CallerNode &N, uintptr_t From, uintptr_t Return) {
  return N.Return == Return && N.From == From;
}

const CallerNode *findNode(const CallerPaths &P, uintptr_t From,
                           uintptr_t Return) {
  const CallerNode &Quick = quickNode(P, From, Return);
  if (isNode(Quick, From, Return))
    return &Quick;
  const CallerPaths::Table *T = P.Others;
  if (!Quick.Return || !T)
    return nullptr;
  for (size_t At = placeOf(From, Return, T->Mask);; At = (At + 1) & T->Mask) {
    if (isNode(T->Nodes[At], From, Return))
      return &T->Nodes[At];
    if (!T->Nodes[At].Return)
      return nullptr;
  }
}

void put(CallerNode &To, const CallerNode &N) {
  const uintptr_t Return = N.Return;
  CallerNode Rest = N;
  Rest.Return = 0;
  To = Rest;
  orderStores();
  To.Return = Return;
}

void putInto(CallerPaths::Table &T, const CallerNode &N) {
  size_t At = placeOf(N.From, N.Return, T.Mask);
  while (T.Nodes[At].Return)
    At = (At + 1) & T.Mask;
  put(T.Nodes[At], N);
  ++T.Count;
}

bool makeRoom(CallerPaths &P) {
  CallerPaths::Table *Old = P.Others;
  if (Old && (Old->Count + 1) * 2 <= Old->Mask)
    return true;
  const uint32_t Size = Old ? (Old->Mask + 1) * 2 : 64;
  auto *Fresh = static_cast<CallerPaths::Table *>(mapPagesWipedByFork(
      sizeof(CallerPaths::Table) + Size * sizeof(CallerNode)));
  if (!Fresh)
    return false;
  Fresh->Mask = Size - 1;
  for (uint32_t I = 0; Old && I <= Old->Mask; ++I)
    if (Old->Nodes[I].Return)
      putInto(*Fresh, Old->Nodes[I]);
  orderStores();
  P.Others = Fresh;
  return true;
}

/// Without room the path is walked again each time.
void addNode(CallerPaths &P, const CallerNode &N) {
  auto &Quick = const_cast<CallerNode &>(quickNode(P, N.From, N.Return));
  if (!Quick.Return)
    put(Quick, N);
  else if (makeRoom(P))
    putInto(*P.Others, N);
}

/// Where the return address after \p N's is saved; null if the memory is not
/// the thread's stack.
const uintptr_t *nextSlot(const CallerPaths &P, const CallerNode &N,
                          const uintptr_t *Back) {
  if (N.Up != kByFp)
    return Back + N.Up;
  constexpr uintptr_t kLongest = 1 << 20; // bytes of a frame
  const uintptr_t Fp = Back[N.FpAt], Here = reinterpret_cast<uintptr_t>(Back);
  if (Fp <= Here || Fp - Here > kLongest || Fp % 8 != 0 ||
      Here < P.Unwind.Low || Fp + 16 > P.Unwind.High)
    return nullptr;
  return reinterpret_cast<const uintptr_t *>(Fp) + 1;
}

/// The node at which the path from \p Site ends; null if it is not known.
const CallerNode *findEnd(const CallerPaths &P, const struct inmem_site *Site,
                          const uintptr_t *Back) {
  auto From = reinterpret_cast<uintptr_t>(Site);
  for (unsigned I = 0; I < kMostFrames; ++I) {
    const CallerNode *N = findNode(P, From, *Back);
    if (!N || N->R)
      return N;
    Back = nextSlot(P, *N, Back);
    if (!Back)
      return nullptr;
    From = uintptr_t{N->Number} * 2 + 1;
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// A path that is new
//===----------------------------------------------------------------------===//

struct Path {
  CallerFrame Frames[kMostFrames];
  unsigned Count;
  const struct inmem_frame *Caller; ///< null: not known
};

void walkPath(CallerPaths &P, const uintptr_t *Back, Path &Out) {
  struct Search {
    CallSearch Of{0};
    bool Begun = false;
    const uintptr_t *Function;
    CallSearch::Step Last = CallSearch::Outwards;
  } S;
  uintptr_t Function = 0;
  S.Function = &Function;
  Out.Count = walkCallers(
      P.Unwind, reinterpret_cast<uintptr_t>(Back), Out.Frames, kMostFrames,
      Function,
      [](void *Of, uintptr_t Return) {
        auto &Asked = *static_cast<Search *>(Of);
        if (!Asked.Begun) {
          Asked.Begun = true;
          Asked.Of = CallSearch(functionStart(*Asked.Function));
        }
        Asked.Last = Asked.Of.look(Return);
        return Asked.Last == CallSearch::Outwards;
      },
      &S);
  Out.Caller = S.Last == CallSearch::Found ? S.Of.place() : nullptr;
}

/// Enters a path that ends in \p End.
void enterPath(CallerPaths &P, const struct inmem_site *Site, const Path &Way,
               const Slot &End) {
  auto From = reinterpret_cast<uintptr_t>(Site);
  for (unsigned I = 0; I < Way.Count; ++I) {
    const CallerFrame &F = Way.Frames[I];
    const CallerNode *Known = findNode(P, From, F.Return);
    if (!Known) {
      CallerNode N = {};
      N.Return = F.Return;
      N.From = From;
      if (I + 1 == Way.Count) {
        N.R = End.R;
        N.C = End.C;
      } else {
        if (F.How == CallerFrame::Fixed) {
          N.Up = static_cast<int16_t>(F.Up / 8);
        } else {
          N.Up = kByFp;
          N.FpAt = F.FpAt;
        }
        N.Number = ++P.Numbers;
        const CallerFrame &Second = Way.Frames[I + 1];
        const bool Three = I == 0 && Way.Count == 3 &&
                           Second.How == CallerFrame::Fixed &&
                           (F.Up + Second.Up) / 8 <= INT16_MAX;
        if (I == 0 && F.How == CallerFrame::Fixed &&
            (Way.Count == 2 || Three)) {
          N.Second = Second.Return;
          if (Three) {
            N.Third = static_cast<int16_t>((F.Up + Second.Up) / 8);
            N.ThirdReturn = Way.Frames[2].Return;
          }
          N.Direct = End.R;
          N.C = End.C;
        }
      }
      addNode(P, N);
      Known = findNode(P, From, F.Return);
    }
    if (!Known || Known->R)
      return; // no room
    From = uintptr_t{Known->Number} * 2 + 1;
  }
}

void forgetNodes(CallerPaths &P) {
  for (CallerNode &N : P.Quick)
    N.Return = 0;
  if (CallerPaths::Table *T = P.Others) {
    T->Count = 0;
    for (uint32_t I = 0; I <= T->Mask; ++I)
      T->Nodes[I].Return = 0;
  }
}

} // namespace

uint32_t idWithCaller(ThreadState &T, struct inmem_site *Site, uint32_t Id,
                      const uintptr_t *Back) {
  CallerPaths *P = T.Rows->Paths;
  if (!P || !HasCallLabels)
    return Id;
  if (P->Generation != codeGeneration()) {
    forgetNodes(*P);
    P->Generation = codeGeneration();
  }
  if (const CallerNode *Known = findEnd(*P, Site, Back))
    return Known->R->Site;
  Path Way;
  walkPath(*P, Back, Way);
  uint32_t With = Id;
  if (Way.Caller) {
    const struct inmem_frame &C = *Way.Caller;
    const UserCall Caller = {relative(C.function), relative(C.file), C.line,
                             C.column};
    Locked L(Process.Mutex);
    if (uint32_t Pair = registerCalledSite(Id, Caller))
      With = Pair;
  }
  if (const Slot *S = isSiteExcluded(With) ? nullptr : slotOf(T, With))
    enterPath(*P, Site, Way, *S);
  return With;
}

bool countKnown(ThreadState &T, const CallerPaths &Paths, void *P,
                uint64_t Size, const struct inmem_site *Site,
                const uintptr_t *Back) {
  const CallerNode *N = Back ? findEnd(Paths, Site, Back) : nullptr;
  if (!N)
    return false;
  countAllocation(T, {N->R, N->C}, P, Size, siteEntry(N->R->Site));
  return true;
}

uint32_t idWithoutPath(const CallerPaths &Paths, const struct inmem_site *Site,
                       uintptr_t Return) {
  const CallerNode *N =
      findNode(Paths, reinterpret_cast<uintptr_t>(Site), Return);
  return N && N->R ? N->R->Site : 0;
}

uint32_t knownWithCaller(const ThreadState &T, const struct inmem_site *Site,
                         const uintptr_t *Back) {
  const CallerPaths *P = T.Rows->Paths;
  const CallerNode *N = Back && P && P->Generation == codeGeneration()
                            ? findEnd(*P, Site, Back)
                            : nullptr;
  return N ? N->R->Site : 0;
}

uint32_t idAfterMove(ThreadState &T, const struct inmem_site *Site, uint32_t Id,
                     uint32_t From) {
  CallerPaths *P = T.Rows->Paths;
  if (!P || (Site->flags & INMEM_SITE_PASSED) == 0)
    return Id;
  uint32_t To;
  {
    Locked L(Process.Mutex);
    To = siteWithCallerOf(Id, From);
  }
  CallerMove &M = P->Moves[moveIndex(From, Id)];
  M.From = 0;
  orderStores();
  M.Site = Id;
  M.To = To;
  orderStores();
  M.From = From;
  return To;
}

void *allocatedFromSlow(void *P, uint64_t Size, struct inmem_site *Site,
                        const uintptr_t *Back) {
  ThreadState &T = Thread;
  if (!HasCallLabels) // callers=off: no path will ever be known
    return allocated(P, Size, Site);
  const CallerPaths *Paths = T.QuickPaths;
  if (Paths && countKnown(T, *Paths, P, Size, Site, Back))
    return P;
  INMEM_TAIL return allocatedFromClosed(P, Size, Site, Back);
}

void *reallocatedFrom(void *P, uint64_t Size, struct inmem_site *Site,
                      const uintptr_t *Back, uint32_t OldSite) {
  ThreadState &T = Thread;
  if (!HasCallLabels)
    return reallocated(P, Size, Site, OldSite);
  Size += Size == 0;
  announce(T, P);
  const CallerPaths *Paths = T.QuickPaths;
  const CallerNode *N = Paths ? findEnd(*Paths, Site, Back) : nullptr;
  if (N && isBelow(OldSite, T.AllocateSlots)) {
    const trace::Row *Old = T.Slots[OldSite].R; // none of site 0
    if (Site->type || !OldSite || (Old && !Old->Type)) {
      if (countAllocation(T, {N->R, N->C}, P, Size, siteEntry(N->R->Site)) !=
          CountResult::NotCounted)
        bump(N->R->Reallocations, OldSite != 0);
      return P;
    }
    if (Old)
      return reallocated(P, Size, Site, OldSite);
  }
  return reallocatedFromClosed(P, Size, Site, Back, OldSite);
}

void leavePathsToChild(CallerPaths &P, bool Leave) {
  wipePagesByFork(&P, sizeof P, !Leave);
  if (const CallerPaths::Table *T = P.Others)
    wipePagesByFork(P.Others,
                    sizeof *T + (size_t{T->Mask} + 1) * sizeof(CallerNode),
                    !Leave);
}

void forgetCallerPaths() {
  for (ThreadRows *B = AllThreadRows; B; B = B->Next)
    if (B->State) // its next event finds the new generation
      closeAllocations(*B->State);
}

} // namespace inmem::rt
