//===- LiveIndex.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a table next to the heap? A header in front of each block would be
// faster, but breaks aligned blocks and blocks that other code frees; a record
// after the block breaks malloc_usable_size(). Why 8 bytes for 32? With 16
// bytes for 16, a program with many blocks took 1.61 times as long, since the
// index then has as many pages as the heap; now it takes 1.07 times as long.
// docs/design/tried.md has all layouts that were measured.
//
//===----------------------------------------------------------------------===//
#include "index/LiveIndex.h"

#include "platform/Lock.h"
#include "state/Recovery.h"
#include "state/ThreadState.h"
#include "tables/OpenTable.h"

#include <string.h>

namespace inmem::rt {

constinit uintptr_t LiveLeaves[kLeaves] = {};
constinit uint32_t ForeignBlockCount = 0;
constinit void (*BlockNotEntered)(IndexEntry, uint64_t) = nullptr;

static constexpr uintptr_t kLastIndexed = (uintptr_t{1} << kAddressBits) - 1;
constinit uintptr_t LastDirect = kLastIndexed;
constinit uintptr_t LastDirectDelete = kLastIndexed;
constinit bool FewBlocks = false;
constinit uint8_t EnteredBlocks[kEnteredCounts] = {};

constinit uint64_t LastAgingTicks = 0, NextAgingTicks = kSaturatedLifetime / 2;

namespace {

constexpr size_t kPagesOfLeaf = roundUp(kLeafBytes, kPage) / kPage;

bool sizeFollows(IndexEntry Value) { return sizeIn(Value) == kSizeFollows; }

/// The leaf of \p Span, or null.
IndexEntry *leafOf(uintptr_t Span) { return entryIn(Span, Span << kSpanShift); }

/// Spans of all leaves, newest first, for walks over all entries: the top table
/// is 64 MB of mostly untouched pages.
struct LeafNode {
  uintptr_t Span; ///< address / 16 MB
  LeafNode *Next;
};
constinit LeafNode *Leaves = nullptr;
constinit uint32_t LeafCount = 0;
/// Nodes are allocated from here, a page at a time.
constinit LeafNode *NodePage = nullptr;
constinit uint32_t NodesUsed = 0;
constinit Lock NodeLock;

/// Needs NodeLock, before the leaf exists: if a jump leaves here, the next leaf
/// reuses the node.
void noteLeaf(uintptr_t Span) {
  constexpr uint32_t kPerPage = kPage / sizeof(LeafNode);
  if (Leaves && !leafOf(Leaves->Span)) {
    __atomic_store_n(&Leaves->Span, Span, __ATOMIC_RELAXED);
    return;
  }
  if (!NodePage || NodesUsed == kPerPage) {
    NodePage = static_cast<LeafNode *>(mapPages(kPage));
    NodesUsed = 0;
  }
  if (!NodePage)
    return;
  LeafNode *N = &NodePage[NodesUsed++];
  *N = {Span, Leaves};
  __atomic_store_n(&Leaves, N, __ATOMIC_RELEASE);
}

} // namespace

uint64_t saturateOldBirths(uint64_t Now, uint64_t LastAging) {
  uint64_t Replaced = 0;
  for (LeafNode *N = __atomic_load_n(&Leaves, __ATOMIC_ACQUIRE); N;
       N = N->Next) {
    IndexEntry *Leaf = leafOf(N->Span);
    bool SizeNext = false; // this entry is the preceding one's size
    for (size_t I = 0; Leaf && I < kLeafEntries; ++I) {
      IndexEntry Value = __atomic_load_n(&Leaf[I], __ATOMIC_RELAXED);
      if (SizeNext || !Value) {
        SizeNext = false;
        continue;
      }
      SizeNext = sizeFollows(Value);
      uint64_t Birth = birthIn(Value);
      if (Birth == 0 || Birth == kSaturated)
        continue;
      uint64_t Born = bornAround(Birth, LastAging);
      // Signed: a block may be born while this runs.
      if (static_cast<int64_t>(Now - Born) <
          static_cast<int64_t>(kSaturatedLifetime))
        continue;
      IndexEntry Old = Value | makeEntry(0, 0, false, kSaturated);
      if (__atomic_compare_exchange_n(&Leaf[I], &Value, Old, false,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ++Replaced;
    }
  }
  return Replaced;
}

namespace {

/// True if a block in \p Busy has its entry in \p Page, or just before it, so
/// that its size would be stored there.
bool isBusy(const IndexEntry *Page, void *const *Busy, size_t Count) {
  const size_t PerPage = pageSize() / sizeof(IndexEntry);
  for (size_t I = 0; I < Count; ++I) {
    const IndexEntry *E = entryOf(reinterpret_cast<uintptr_t>(Busy[I]));
    if (E && E + 1 >= Page && E < Page + PerPage)
      return true;
  }
  return false;
}

bool isEmpty(const IndexEntry *Page) {
  for (size_t I = 0; I < pageSize() / sizeof(IndexEntry); ++I)
    if (__atomic_load_n(&Page[I], __ATOMIC_RELAXED))
      return false;
  return true;
}

} // namespace

uint64_t returnEmptyPages(void *const *Busy, size_t Count) {
  static unsigned char Resident[kPagesOfLeaf];
  const size_t Size = pageSize(), Pages = roundUp(kLeafBytes, Size) / Size;
  uint64_t Returned = 0;
  for (LeafNode *N = __atomic_load_n(&Leaves, __ATOMIC_ACQUIRE); N;
       N = N->Next) {
    IndexEntry *Leaf = leafOf(N->Span);
    if (!Leaf || !findResident(Leaf, kLeafBytes, Resident))
      continue;
    for (size_t I = 0; I < Pages; ++I) {
      size_t First = I;
      for (; I < Pages && (Resident[I] & 1); ++I) {
        IndexEntry *Page = Leaf + I * (Size / sizeof(IndexEntry));
        if (!isEmpty(Page) || isBusy(Page, Busy, Count))
          break;
      }
      if (I > First)
        Returned += dropPages(Leaf + First * (Size / sizeof(IndexEntry)),
                              (I - First) * Size);
    }
  }
  return Returned;
}

namespace {

/// True if nearly all pages of the leaf of \p Span have entries, judging by a
/// few of them. Takes no lock, because leaves are never freed.
bool isDense(uintptr_t Span) {
  constexpr size_t kLooks = 64, kMayBeEmpty = 4;
  // 15 pages: an odd stride also hits pages between regular large blocks.
  constexpr size_t kStep = kLeafEntries / kLooks - kPage / sizeof(IndexEntry);
  const IndexEntry *Leaf = Span < kLeaves ? leafOf(Span) : nullptr;
  size_t Empty = 0;
  for (size_t I = 0; Leaf && I < kLooks && Empty <= kMayBeEmpty; ++I)
    Empty += isEmpty(Leaf + kStep * I);
  return Leaf && Empty <= kMayBeEmpty;
}

/// Memory for the leaf of \p Span. If the heap grows without gaps, the whole
/// leaf will be used: huge pages fault in faster, need fewer TLB entries, and
/// cost fork nothing.
void *mapLeaf(uintptr_t Span) {
  constexpr uint32_t kFewLeaves =
      32; ///< from this heap size on, 2 MB are negligible
  if (__atomic_load_n(&LeafCount, __ATOMIC_RELAXED) >= kFewLeaves &&
      (isDense(Span - 1) || isDense(Span + 1)))
    if (void *Huge = mapHugePages(kLeafBytes))
      return Huge;
  return mapPages(kLeafBytes);
}

} // namespace

IndexEntry *makeLeaf(uintptr_t Address) {
  if (Address >> kAddressBits)
    return nullptr;
  ThreadState &T = Thread;
  if (NodeLock.isOwn() && isInside(T))
    return nullptr; // within an event that a signal interrupted
  const uintptr_t Span = Address >> kSpanShift;
  void *Fresh = mapLeaf(Span);
  if (!Fresh)
    return nullptr;
  const uintptr_t Kept = reinterpret_cast<uintptr_t>(Fresh) -
                         Span * (kLeafEntries * sizeof(IndexEntry));
  Guarded G(T);
  Locked L(NodeLock); // a forked child finds both the leaf and its node
  // Another thread may have been first. Of all possible leaves, one would be
  // represented as 0 and cannot be used.
  if (__atomic_load_n(&LiveLeaves[Span], __ATOMIC_RELAXED) || !Kept) {
    unmapPages(Fresh, kLeafBytes);
  } else {
    noteLeaf(Span);
    __atomic_fetch_add(&LeafCount, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&LiveLeaves[Span], Kept, __ATOMIC_RELEASE);
  }
  return entryOf(Address);
}

bool addBlockSlow(void *P, uint64_t Size, IndexEntry Value) {
  auto Address = reinterpret_cast<uintptr_t>(P);
  IndexEntry *E = entryOf(Address);
  if (!E)
    E = makeLeaf(Address);
  if (!E) {
    bool Entered = addForeign(P, {Value, Size});
    if (!Entered && BlockNotEntered)
      BlockNotEntered(Value, Size);
    return Entered;
  }
  fillEntry(E, Size, Value);
  return true;
}

void expectFewBlocks() {
  __atomic_store_n(&FewBlocks, true, __ATOMIC_RELAXED);
  disableDirectLookup();
}

void disableDirectLookup() {
  __atomic_store_n(&LastDirect, 0, __ATOMIC_RELAXED);
  disableDirectDelete();
}
void disableDirectDelete() {
  __atomic_store_n(&LastDirectDelete, 0, __ATOMIC_RELAXED);
}

namespace {

/// \p By: 1 or -1. A count that has reached kManyEntered no longer changes.
void countEntered(void *P, int By) {
  uint8_t *Entered = enteredCount(P);
  uint8_t Count = __atomic_load_n(Entered, __ATOMIC_RELAXED);
  while (Count != kManyEntered &&
         !__atomic_compare_exchange_n(Entered, &Count,
                                      static_cast<uint8_t>(Count + By), true,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

} // namespace

void enterBlock(void *P, uint64_t Size, IndexEntry Value) {
  if (INMEM_UNLIKELY(FewBlocks))
    countEntered(P, 1);
  addBlock(P, Size, Value);
}

constinit bool HasPackedBlocks = false;

void expectPackedBlocks() {
  disableDirectLookup();
  HasPackedBlocks = true;
}

void putBack(void *P, const Block &B) {
  if (INMEM_UNLIKELY(HasPackedBlocks) && !reserveEntry(P))
    addForeign(P, B);
  else
    enterBlock(P, B.Size, B.bare());
}

Block takeIndirect(void *P) {
  if (!mayBeEntered(P))
    return {};
  if (INMEM_UNLIKELY(HasPackedBlocks))
    if (Block B = takeForeign(P))
      return B;
  Block B = takeAt(P, entryOf(reinterpret_cast<uintptr_t>(P)));
  if (B && FewBlocks)
    countEntered(P, -1);
  return B;
}

/// The value of a reserved entry; no site has this number.
static constexpr IndexEntry kReservedEntry = makeEntry(0, 1, false, 0);

bool reserveEntry(void *P) {
  auto Address = reinterpret_cast<uintptr_t>(P);
  IndexEntry *E = entryOf(Address);
  if (!E)
    E = makeLeaf(Address);
  IndexEntry None = 0;
  return E && __atomic_compare_exchange_n(E, &None, kReservedEntry, false,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void releaseEntry(void *P) {
  IndexEntry *E = entryOf(reinterpret_cast<uintptr_t>(P));
  IndexEntry Mine = kReservedEntry;
  if (E)
    __atomic_compare_exchange_n(E, &Mine, 0, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
}

namespace {

struct ForeignBlock {
  void *P;
  Block B;

  explicit operator bool() const { return P != nullptr; }
  static uint64_t hashOf(const void *P) {
    return reinterpret_cast<uintptr_t>(P) * 0x9E3779B97F4A7C15u >> 20;
  }
  uint64_t hash() const { return hashOf(P); }
  bool is(const void *Other) const { return P == Other; }
  bool isSame(const ForeignBlock &Other) const { return P == Other.P; }
  void clear() { P = nullptr; }
  void copy(const ForeignBlock &Other) {
    B = Other.B;
    orderStores();
    P = Other.P;
  }
};
constinit Lock TableLock;
constinit OpenTable<ForeignBlock, 1024> Foreign;

/// Needs the lock. Lets most frees skip taking it.
void publishForeignCount() {
  __atomic_store_n(&ForeignBlockCount, static_cast<uint32_t>(Foreign.count()),
                   __ATOMIC_RELAXED);
}

/// Locks the table, unless the thread already holds it: a signal handler's free
/// may interrupt anywhere. The guard shows a fork in a handler that the table
/// is locked.
class TableScope {
public:
  explicit TableScope(ThreadState &T)
      : Free(!TableLock.isOwn() || !isInside(T)), G(T) {
    if (Free)
      TableLock.acquire();
  }
  ~TableScope() {
    if (Free)
      TableLock.release();
  }
  explicit operator bool() const { return Free; }

private:
  const bool Free;
  Guarded G;
};

} // namespace

bool addForeign(void *P, const Block &B) {
  TableScope Scope(Thread);
  ForeignBlock *At = Scope ? Foreign.findOrMake(P) : nullptr;
  if (!At)
    return false;
  // The block's free may bypass takeIndirect(), which would count it down, so
  // saturate the counter.
  if (FewBlocks)
    __atomic_store_n(enteredCount(P), kManyEntered, __ATOMIC_RELAXED);
  Foreign.add(At, {P, B});
  publishForeignCount();
  return true;
}

Block peekForeign(void *P) {
  TableScope Scope(Thread);
  const ForeignBlock *At = Scope && P ? Foreign.find(P) : nullptr;
  return At ? At->B : Block();
}

Block takeForeign(void *P) {
  TableScope Scope(Thread);
  ForeignBlock *At = Scope && P ? Foreign.find(P) : nullptr;
  if (!At)
    return {};
  const Block Taken = At->B;
  Foreign.remove(At);
  publishForeignCount();
  return Taken;
}

uint32_t siteOfEnclosing(uintptr_t Address, EnclosingBlock &Last) {
  constexpr unsigned kSteps = (1u << 20) >> kGranuleShift;
  constexpr uintptr_t kGranule = 1u << kGranuleShift;
  constexpr uintptr_t kSpan = uintptr_t{1} << kSpanShift;
  auto Load = [](uintptr_t At) -> IndexEntry {
    IndexEntry *E = entryOf(At);
    return E ? __atomic_load_n(E, __ATOMIC_RELAXED) : 0;
  };
  auto Within = [&](uintptr_t Begin, IndexEntry Value,
                    uint64_t Size) -> uint32_t {
    // Blocks begin in either half of a granule.
    uintptr_t End = Begin + kGranule / 2 + Size;
    if (Address >= End)
      return 0;
    Last = {Begin, End, Value};
    return siteIn(Value);
  };
  if (Address >= Last.Begin && Address < Last.End &&
      Load(Last.Begin) == Last.Value)
    return siteIn(Last.Value);
  uintptr_t At = Address & ~(kGranule - 1);
  for (unsigned I = 0; I < kSteps && At >= kGranule; ++I, At -= kGranule) {
    if (!entryOf(At)) { // nothing was ever allocated around here
      uintptr_t Skipped = (At & (kSpan - 1)) / kGranule;
      I += static_cast<unsigned>(Skipped);
      At -= Skipped * kGranule;
      continue;
    }
    IndexEntry Here = Load(At);
    if (!Here)
      continue;
    // A large block's size may look like an entry; its entry is the one before.
    IndexEntry Before = Load(At - kGranule);
    if (Before && sizeFollows(Before))
      return Within(At - kGranule, Before, Here);
    uint64_t Size = sizeIn(Here);
    if (Size == kSizeFollows)
      Size = __atomic_load_n(entryOf(At) + 1, __ATOMIC_RELAXED);
    return Within(At, Here, Size);
  }
  return 0;
}

namespace {

/// Calls \p Visit with each real entry of a leaf and its block.
template <class Visitor> void forEachEntry(IndexEntry *Leaf, Visitor Visit) {
  static unsigned char Resident[kPagesOfLeaf];
  const size_t PerPage = pageSize() / sizeof(IndexEntry);
  if (!Leaf || !findResident(Leaf, kLeafBytes, Resident))
    return;
  bool SizeNext = false;
  for (size_t I = 0; I < kLeafEntries; ++I) {
    if (I % PerPage == 0 && !(Resident[I / PerPage] & 1)) {
      I += PerPage - 1;
      SizeNext = false;
      continue;
    }
    IndexEntry Value = Leaf[I];
    if (SizeNext || !Value) {
      SizeNext = false;
      continue;
    }
    SizeNext = sizeFollows(Value);
    Visit(I, Block{Value, SizeNext ? Leaf[I + 1] : sizeIn(Value)});
  }
}

} // namespace

void forEachBlock(void (*Visit)(const Block &)) {
  for (LeafNode *N = Leaves; N; N = N->Next)
    forEachEntry(leafOf(N->Span), [&](size_t, const Block &B) { Visit(B); });
  Foreign.forEach([Visit](const ForeignBlock &F) { Visit(F.B); });
}

void forEachLiveBlock(void (*Visit)(void *, uintptr_t, const Block &, bool),
                      void *Context) {
  // The list is short and unsorted: search for the next one.
  for (uintptr_t From = 0;;) {
    uintptr_t Span = UINTPTR_MAX;
    for (LeafNode *N = Leaves; N; N = N->Next)
      if (N->Span >= From && N->Span < Span)
        Span = N->Span;
    if (Span == UINTPTR_MAX)
      break;
    forEachEntry(leafOf(Span), [&](size_t I, const Block &B) {
      Visit(Context, (Span << kSpanShift) + (I << kGranuleShift), B, false);
    });
    From = Span + 1;
  }
  struct Both {
    void (*Visit)(void *, uintptr_t, const Block &, bool);
    void *Context;
  } Call = {Visit, Context};
  Foreign.forEach([&Call](const ForeignBlock &F) {
    Call.Visit(Call.Context, reinterpret_cast<uintptr_t>(F.P), F.B, true);
  });
}

void clearIndex() {
  for (LeafNode *N = Leaves; N; N = N->Next)
    if (IndexEntry *Leaf = leafOf(N->Span))
      dropPages(Leaf, kLeafBytes);
  Foreign.clear();
  publishForeignCount();
  memset(EnteredBlocks, 0, sizeof EnteredBlocks);
  LastAgingTicks = 0;
  NextAgingTicks = kSaturatedLifetime / 2;
  if (HasPackedBlocks)
    return;
  FewBlocks = false;
  LastDirect = LastDirectDelete = kLastIndexed;
}

void releaseIndexLocks() {
  NodeLock.releaseOwn();
  if (!TableLock.isOwn())
    return;
  Foreign.repair();
  publishForeignCount();
  TableLock.release();
}

void lockIndex() {
  NodeLock.acquire();
  TableLock.acquire();
}
void unlockIndex() {
  TableLock.release();
  NodeLock.release();
}
void resetIndexLocks() {
  TableLock.reset();
  NodeLock.reset();
}

} // namespace inmem::rt
