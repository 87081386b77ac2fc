//===- CallerPaths.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hot/CallerPaths.h"

#include "hot/FastPath.h"
#include "hot/RecorderSteps.h"
#include "hot/Rows.h"
#include "hot/Threads.h"
#include "registry/Modules.h"
#include "registry/SiteRegistry.h"
#include "stacks/WalkedPath.h"
#include "state/Runtime.h"

#include <string.h>

namespace inmem::rt {

constinit CallerPaths ClosedPaths = {};

namespace {

using Path = WalkedPath;
/// Longer paths have no caller; their blocks count for the site itself.
constexpr unsigned kMostFrames = Path::kMostFrames;

/// Stands for a return address in the node at which a site's longer paths end.
constexpr uintptr_t kBeyond = 1;

/// Returns true if \p From is a node's number; sites have even addresses.
bool isOfNode(uintptr_t From) { return From & 1; }

/// The node in one of the two slots that need no probing, or null.
INMEM_INLINE const CallerNode *findQuick(const CallerPaths &P, uintptr_t From,
                                         uintptr_t Return) {
  const CallerNode &First = quickNode(P, quickOffset(From, Return));
  if (First.is(From, Return))
    return &First;
  const CallerNode &Second = secondNode(P, From, Return);
  return Second.is(From, Return) ? &Second : nullptr;
}

const CallerNode *findNode(const CallerPaths &P, uintptr_t From,
                           uintptr_t Return) {
  if (!isOfNode(From))
    if (const CallerNode *Quick = findQuick(P, From, Return))
      return Quick;
  const CallerPaths::Table *T = P.Others;
  if (!T)
    return nullptr;
  for (size_t At = homeOf(From, Return, T->Mask);; At = (At + 1) & T->Mask) {
    if (T->Nodes[At].is(From, Return))
      return &T->Nodes[At];
    if (!T->Nodes[At].Key)
      return nullptr;
  }
}

void put(CallerNode &To, const CallerNode &N) {
  CallerNode Rest = N;
  Rest.Key = 0;
  To = Rest;
  orderStores();
  To.Key = N.Key;
}

void putInto(CallerPaths::Table &T, const CallerNode &N) {
  size_t At = homeOf(N.From, N.returnAddress(), T.Mask);
  while (T.Nodes[At].Key)
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
    if (Old->Nodes[I].Key)
      putInto(*Fresh, Old->Nodes[I]);
  orderStores();
  P.Others = Fresh;
  return true;
}

/// Hooks read only first nodes, so only those are kept in slots. With inner
/// nodes there, too, an eighth of one program's blocks found their slot taken
/// (docs/design/measurements.md). When out of memory, the path is unwound again
/// for each event.
void addNode(CallerPaths &P, const CallerNode &N) {
  const uintptr_t Return = N.returnAddress();
  const CallerNode *const Slots[] = {&quickNode(P, quickOffset(N.From, Return)),
                                     &secondNode(P, N.From, Return)};
  for (const CallerNode *Slot : Slots)
    if (!isOfNode(N.From) && !Slot->Key) {
      put(const_cast<CallerNode &>(*Slot), N);
      return;
    }
  if (makeRoom(P))
    putInto(*P.Others, N);
}

/// The location of the saved return address after \p N; null if it is not on
/// the thread's stack.
const uintptr_t *nextSlot(const CallerPaths &P, const CallerNode &N,
                          const uintptr_t *Back) {
  if (N.Up != kByFp)
    return Back + N.Up;
  constexpr uintptr_t kLongest = 1 << 20; // largest frame, in bytes
  const uintptr_t Fp = Back[N.FpAt], Here = reinterpret_cast<uintptr_t>(Back);
  if (Fp <= Here || Fp - Here > kLongest || Fp % 8 != 0 ||
      Here < P.Unwind.Low || Fp + 16 > P.Unwind.High)
    return nullptr;
  return reinterpret_cast<const uintptr_t *>(Fp) + 1;
}

/// The end of paths that are too long; null if \p Site has had none.
const CallerEnd *endBeyond(const CallerPaths &P,
                           const struct inmem_site *Site) {
  const CallerNode *N = findNode(P, reinterpret_cast<uintptr_t>(Site), kBeyond);
  return N ? &N->End : nullptr;
}

//===----------------------------------------------------------------------===//
// A path that is new
//===----------------------------------------------------------------------===//

int16_t upToThird(const Path &Calls) {
  return static_cast<int16_t>((Calls.Frames[0].Up + Calls.Frames[1].Up) / 8);
}

/// Returns true if the hook can compare the whole path.
bool isDirect(const Path &Calls) {
  const CallerFrame *F = Calls.Frames;
  if (Calls.Count < 2 || Calls.Count > 3 || !isCompared(F[0]))
    return false;
  return Calls.Count == 2 ||
         (isCompared(F[1]) && (F[0].Up + F[1].Up) / 8 <= INT16_MAX);
}

/// CallerNode::Third of a direct path.
uintptr_t thirdOf(const Path &Calls) {
  return kHasFrameRecords && Calls.Count == 2
             ? 0
             : Calls.Frames[Calls.Count - 1].Return;
}

/// Returns true if this path is the direct path of \p N, its first node.
bool hasAsDirect(const CallerNode &N, const Path &Calls, const CallerEnd &End) {
  return isDirect(Calls) && N.End.R == End.R &&
         N.Second == Calls.Frames[1].Return && N.Third == thirdOf(Calls);
}

CallerChain *newChain(CallerPaths &P) {
  constexpr uint32_t kMostBlocks = 16;
  if (!P.Blocks || P.Blocks->Used == CallerPaths::Block::kChains) {
    auto *Fresh = P.NumBlocks < kMostBlocks
                      ? static_cast<CallerPaths::Block *>(
                            mapPagesWipedByFork(sizeof(CallerPaths::Block)))
                      : nullptr;
    if (!Fresh)
      return nullptr;
    Fresh->Next = P.Blocks;
    P.Blocks = Fresh;
    ++P.NumBlocks;
  }
  return &P.Blocks->Chains[P.Blocks->Used++];
}

/// If hooks can compare the path as a whole, enters it as a chain.
void enterChain(CallerPaths &P, uintptr_t From, const Path &Calls,
                const CallerEnd &End) {
  // Beyond the limit, paths are walked node by node. With a limit of 8, that
  // happened in json.
  constexpr unsigned kMostOfNode = 16;
  const uintptr_t Return = Calls.Frames[0].Return;
  const CallerNode *First = findQuick(P, From, Return);
  if (Calls.Count < 2 || Calls.Count > CallerChain::kMost + 1 || !First ||
      First->endsHere() || hasAsDirect(*First, Calls, End))
    return;
  CallerChain Chain = {nullptr, End, Calls.Count - 1, {}, {}};
  int32_t At = 0;
  for (unsigned I = 1; I < Calls.Count; ++I) {
    if (!isCompared(Calls.Frames[I - 1]))
      return;
    At += static_cast<int32_t>(Calls.Frames[I - 1].Up / 8);
    Chain.At[I - 1] = At;
    Chain.Returns[I - 1] = Calls.Frames[I].Return;
  }
  CallerChain *&Newest = P.Chains[First - P.Quick];
  unsigned Others = 0;
  for (const CallerChain *C = Newest; C; C = C->Next)
    ++Others;
  CallerChain *Added = Others < kMostOfNode ? newChain(P) : nullptr;
  if (!Added)
    return;
  Chain.Next = Newest;
  *Added = Chain;
  orderStores();
  Newest = Added;
}

/// The number of the node for frame \p I of a path whose earlier nodes have \p
/// Numbers. A recursive call reuses the number of the call before: copying a
/// tree of n elements would otherwise make nearly n paths.
uint32_t numberOf(CallerPaths &P, const Path &Calls, unsigned I,
                  const uint32_t *Numbers) {
  for (unsigned J = 0; J < I; ++J)
    if (Calls.Frames[I].leadsOnAs(Calls.Frames[J]))
      return Numbers[J];
  return ++P.Numbers;
}

/// A node that leads to further frames, whose nodes refer to \p Number.
CallerNode nodeBetween(const CallerFrame &F, uint32_t Number) {
  CallerNode N = {};
  N.Key = 0 - F.Return;
  N.Number = Number;
  if (F.How == CallerFrame::Fixed) {
    N.Up = static_cast<int16_t>(F.Up / 8);
  } else {
    N.Up = kByFp;
    N.FpAt = F.FpAt;
  }
  return N;
}

CallerNode nodeAtEnd(uintptr_t Return, const CallerEnd &End) {
  CallerNode N = {};
  N.Key = Return;
  N.End = End;
  return N;
}

/// Enters \p N at \p From. Returns its location; null when out of memory.
const CallerNode *enterNode(CallerPaths &P, uintptr_t From, CallerNode N) {
  N.From = From;
  addNode(P, N);
  return findNode(P, From, N.returnAddress());
}

void makeDirect(CallerNode &First, const Path &Calls, const CallerEnd &End) {
  First.Second = Calls.Frames[1].Return;
  First.Third = thirdOf(Calls);
  if (!kHasFrameRecords)
    First.UpToThird = Calls.Count == 2 ? First.Up : upToThird(Calls);
  First.End = End;
}

/// Enters a path that ends in \p Into.
void enterPath(CallerPaths &P, const struct inmem_site *Site, const Path &Calls,
               const Slot &Into) {
  const CallerEnd End = {Into.R, Into.C, siteEntry(Into.R->Site)};
  auto From = reinterpret_cast<uintptr_t>(Site);
  uint32_t Numbers[kMostFrames];
  for (unsigned I = 0; I < Calls.Count; ++I) {
    const CallerFrame &F = Calls.Frames[I];
    const CallerNode *Known = findNode(P, From, F.Return);
    if (!Known && I + 1 == Calls.Count && !Calls.goesBeyond()) {
      enterNode(P, From, nodeAtEnd(F.Return, End));
      break;
    }
    if (!Known) {
      CallerNode N = nodeBetween(F, numberOf(P, Calls, I, Numbers));
      if (I == 0 && isDirect(Calls))
        makeDirect(N, Calls, End);
      Known = enterNode(P, From, N);
    }
    if (!Known)
      return; // the table is full
    if (Known->endsHere())
      break;
    Numbers[I] = Known->Number;
    From = uintptr_t{Known->Number} * 2 + 1;
  }
  From = reinterpret_cast<uintptr_t>(Site);
  if (!Calls.goesBeyond())
    enterChain(P, From, Calls, End);
  else if (!endBeyond(P, Site))
    enterNode(P, From, nodeAtEnd(kBeyond, End));
}

void forgetNodes(CallerPaths &P) {
  for (CallerNode &N : P.Quick)
    N.Key = 0;
  for (CallerChain *&Chain : P.Chains)
    Chain = nullptr;
  if (CallerPaths::Table *T = P.Others) {
    T->Count = 0;
    for (uint32_t I = 0; I <= T->Mask; ++I)
      T->Nodes[I].Key = 0;
  }
}

/// Returns true with callers=off: the hook's fast path then leads to the site
/// itself.
bool leavesCallersOut() {
  return Process.Config.Callers.Index != Options::CallersOn;
}

} // namespace

const CallerEnd *findEnd(const CallerPaths &P, const struct inmem_site *Site,
                         const uintptr_t *Back) {
  auto From = reinterpret_cast<uintptr_t>(Site);
  if (const CallerEnd *Known =
          findChain(P, From, Back, quickOffset(From, *Back)))
    return Known;
  for (unsigned I = 0; I < kMostFrames; ++I) {
    const CallerNode *N = findNode(P, From, *Back);
    if (!N)
      return nullptr;
    if (N->endsHere())
      return &N->End;
    Back = nextSlot(P, *N, Back);
    if (!Back)
      return nullptr;
    From = uintptr_t{N->Number} * 2 + 1;
  }
  return endBeyond(P, Site);
}

bool neverKnowsPaths(const ThreadState &T) {
  return T.Rows &&
         !(T.Rows->Paths && (searchesCallers() || leavesCallersOut()));
}

/// Returns true if \p Site counts for itself because none of its paths has led
/// to the program, as in a library that works on its own behalf. Once a thread
/// has many paths, new sites count for themselves, too.
static bool isItsOwnCaller(const CallerPaths &P,
                           const struct inmem_site &Site) {
  constexpr uint32_t kMostNodes = 1 << 14;
  if (!FollowsProgram)
    return false;
  if (P.Others && P.Others->Count >= kMostNodes)
    closeCaller(Site);
  return isClosedCaller(Site);
}

uint32_t idWithCaller(ThreadState &T, struct inmem_site *Site, uint32_t Id,
                      const uintptr_t *Back) {
  CallerPaths *P = T.Rows->Paths;
  const bool Alone = leavesCallersOut() && Site->kind != INMEM_SITE_CALLER;
  if (!P || !(searchesCallers() || Alone))
    return Id;
  if (P->Generation != codeGeneration()) {
    forgetNodes(*P);
    P->Generation = codeGeneration();
  }
  if (const CallerEnd *Known = findEnd(*P, Site, Back))
    return Known->R->Site;
  Path Calls;
  uint32_t With = Id;
  if (Alone || isItsOwnCaller(*P, *Site)) {
    Calls.Frames[0].Return = *Back;
    Calls.Count = 1;
  } else {
    walkPath(P->Unwind, Back, Calls);
    With = idOfPath(*Site, Id, Calls);
  }
  if (const Slot *S = isSiteExcluded(With) ? nullptr : slotOf(T, With))
    enterPath(*P, Site, Calls, *S);
  return With;
}

bool enterIfPathKnown(ThreadState &T, const CallerPaths &Paths, void *P,
                      uint64_t Size, const struct inmem_site *Site,
                      const uintptr_t *Back) {
  const CallerEnd *End = Back ? findEnd(Paths, Site, Back) : nullptr;
  if (!End)
    return false;
  enterAllocation(T, {End->R, End->C}, P, Size, End->Value);
  return true;
}

uint32_t idWithoutPath(const CallerPaths &Paths, const struct inmem_site *Site,
                       uintptr_t Return) {
  const CallerNode *N =
      findNode(Paths, reinterpret_cast<uintptr_t>(Site), Return);
  return N && N->endsHere() ? N->End.R->Site : 0;
}

uint32_t knownWithCaller(const ThreadState &T, const struct inmem_site *Site,
                         const uintptr_t *Back) {
  const CallerPaths *P = T.Rows->Paths;
  const CallerEnd *End = Back && P && P->Generation == codeGeneration()
                             ? findEnd(*P, Site, Back)
                             : nullptr;
  return End ? End->R->Site : 0;
}

void noteMove(ThreadState &T, uint32_t Site, uint32_t From, uint32_t To) {
  if (!T.Rows->Paths)
    return;
  CallerMove &M = T.Rows->Paths->Moves[moveIndex(From, Site)];
  M.From = 0;
  orderStores();
  M.Site = Site;
  M.To = To;
  orderStores();
  M.From = From;
}

uint32_t idAfterMove(ThreadState &T, const struct inmem_site *Site, uint32_t Id,
                     uint32_t From) {
  if (!pathsOfMove(T, Site))
    return Id;
  uint32_t To;
  {
    Locked L(Process.Mutex);
    To = siteWithCallerOf(Id, From);
  }
  noteMove(T, Id, From, To);
  return To;
}

void leavePathsToChild(CallerPaths &P, bool Leave) {
  for (CallerPaths::Block *B = P.Blocks; B; B = B->Next)
    wipePagesByFork(B, sizeof *B, !Leave);
  wipePagesByFork(&P, sizeof P, !Leave);
  if (const CallerPaths::Table *T = P.Others)
    wipePagesByFork(P.Others,
                    sizeof *T + (size_t{T->Mask} + 1) * sizeof(CallerNode),
                    !Leave);
}

void releasePaths(CallerPaths &P) {
  for (CallerPaths::Block *B = P.Blocks, *Older; B; B = Older) {
    Older = B->Next;
    unmapPages(B, sizeof *B);
  }
  if (const CallerPaths::Table *T = P.Others)
    unmapPages(P.Others,
               sizeof *T + (size_t{T->Mask} + 1) * sizeof(CallerNode));
  unmapPages(&P, sizeof P);
}

void forgetCallerPaths() {
  for (ThreadRows *B = AllThreadRows; B; B = B->Next)
    if (B->State) // its next event finds the new generation
      closeAllocations(*B->State);
}

} // namespace inmem::rt
