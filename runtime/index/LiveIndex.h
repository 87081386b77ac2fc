//===- LiveIndex.h - Address of a live block -> its site, size and birth --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A two-level table with one 8-byte entry for each 32 bytes of heap, faulted in
// where the heap is. No hashing, no lock: a granule belongs to one live block
// at a time, because blocks are at least 32 bytes apart (Allocator.h sees to
// it), and the allocator orders a free before the next owner's malloc.
//
//   entry  birth:37 | thinned:1 | site:20 | size:6        0: no block
//
// A size of 63 or more is stored in full in the next entry: such a block covers
// at least two granules, so no other block owns that one. birth is in trace
// ticks modulo 2^37, 0 for a block that is not timed; `thinned` says that its
// life counts for kThinBy lives. A birth that is half that range in the past is
// replaced by kSaturated before it could be mistaken for a recent one.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_LIVEINDEX_H
#define INMEM_RUNTIME_LIVEINDEX_H

#include "platform/Compiler.h"

namespace inmem::rt {

inline constexpr unsigned kGranuleShift = 5;
inline constexpr unsigned kSpanShift = 24; ///< bytes of heap per leaf: 16 MB
inline constexpr unsigned kAddressBits =
    47; ///< higher addresses: ForeignBlocks
inline constexpr unsigned kSiteBits = 20;
inline constexpr unsigned kSizeBits = 6;
inline constexpr uint64_t kSizeFollows = (1u << kSizeBits) - 1;
inline constexpr unsigned kBirthShift = kSizeBits + kSiteBits + 1;
inline constexpr uint64_t kBirthMask = (uint64_t{1} << (64 - kBirthShift)) - 1;
/// "At least kSaturatedLifetime ago."
inline constexpr uint64_t kSaturated = kBirthMask;
inline constexpr uint64_t kSaturatedLifetime = (kBirthMask + 1) / 2;
inline constexpr uint32_t kMaxSites = (1u << kSiteBits) - 1;

using IndexEntry = uint64_t;

/// Builds an entry. \p Size6: the block's size if below kSizeFollows, else
/// kSizeFollows.
INMEM_INLINE constexpr IndexEntry makeEntry(uint32_t Site, uint64_t Size6,
                                            bool Thinned, uint64_t Birth) {
  return Size6 | IndexEntry{Site} << kSizeBits |
         IndexEntry{Thinned} << (kSizeBits + kSiteBits) | Birth << kBirthShift;
}
/// The entry, without a size, of a block that is not timed.
INMEM_INLINE constexpr IndexEntry siteEntry(uint32_t Site) {
  return makeEntry(Site, 0, false, 0);
}
INMEM_INLINE constexpr uint32_t siteIn(IndexEntry Value) {
  return Value >> kSizeBits & kMaxSites;
}
/// The size of a block if it is below kSizeFollows, else kSizeFollows.
INMEM_INLINE constexpr uint64_t sizeIn(IndexEntry Value) {
  return Value & kSizeFollows;
}
INMEM_INLINE constexpr uint64_t birthIn(IndexEntry Value) {
  return Value >> kBirthShift;
}

/// A live block, as its entry describes it. Two registers, decoded on demand:
/// most of it is never needed for a block that is not timed.
struct Block {
  IndexEntry Value = 0; ///< size bits are ignored; 0: no block
  uint64_t Size = 0;    ///< requested bytes, at least 1

  constexpr Block() = default;
  constexpr Block(IndexEntry Value, uint64_t Size) : Value(Value), Size(Size) {}
  constexpr Block(uint32_t Site, bool Thinned, uint64_t Birth, uint64_t Size)
      : Value(makeEntry(Site, 0, Thinned, Birth)), Size(Size) {}

  constexpr explicit operator bool() const { return Value != 0; }
  constexpr uint32_t site() const { return siteIn(Value); }
  constexpr bool thinned() const {
    return (Value >> (kSizeBits + kSiteBits) & 1) != 0;
  }
  constexpr bool timed() const { return birthIn(Value) != 0; }
  /// 0: not timed.
  constexpr uint64_t birth() const { return birthIn(Value); }
  /// The entry without its size.
  constexpr IndexEntry bare() const { return Value & ~kSizeFollows; }
};

inline constexpr size_t kLeafEntries = size_t{1}
                                       << (kSpanShift - kGranuleShift);

/// A leaf has one more entry: the size of a block that begins in its last
/// granule. The word after an entry is always the next one in memory.
inline constexpr size_t kLeafBytes = (kLeafEntries + 1) * sizeof(IndexEntry);

/// Leaves by address / 16 MB: 64 MB of address space, touched where used. Each
/// is stored biased, as if it began with the entry of address 0, so that an
/// address needs no masking. 0: none.
inline constexpr size_t kLeaves = size_t{1} << (kAddressBits - kSpanShift);
INMEM_HIDDEN extern uintptr_t LiveLeaves[kLeaves];

/// Number of blocks in the side table; almost always 0.
INMEM_HIDDEN extern uint32_t ForeignBlockCount;

/// The leaf for \p Address, created if necessary; null when out of memory.
INMEM_COLD IndexEntry *makeLeaf(uintptr_t Address);

/// Blocks up to this address are looked up directly. 0: none, every lookup is
/// checked first.
INMEM_HIDDEN extern uintptr_t LastDirect;
/// As LastDirect, for operator delete: 0 also if the program has its own.
INMEM_HIDDEN extern uintptr_t LastDirectDelete;

/// True if few blocks are entered (sampling). Most frees are then on pages
/// without any, and a check of EnteredBlocks, which stays in the cache, avoids
/// an index access.
INMEM_HIDDEN extern bool FewBlocks;
/// The number of entered blocks on the heap pages that share a counter.
/// kManyEntered: too many to count.
inline constexpr size_t kEnteredCounts = size_t{1} << 16;
inline constexpr uint8_t kManyEntered = UINT8_MAX;
INMEM_HIDDEN extern uint8_t EnteredBlocks[kEnteredCounts];

/// Sets FewBlocks. Call before any block is entered.
void expectFewBlocks();
/// Forgets all blocks, and expectations about them. A block that another thread
/// is entering at that time stays.
void clearIndex();
/// From now on takeIndirect() takes all blocks.
void disableDirectLookup();
/// From now on each operator delete is checked first.
void disableDirectDelete();

INMEM_INLINE uint8_t *enteredCount(void *P) {
  constexpr unsigned kPageShift = 12;
  return &EnteredBlocks[reinterpret_cast<uintptr_t>(P) >> kPageShift &
                        (kEnteredCounts - 1)];
}
INMEM_INLINE bool mayBeEntered(void *P) {
  return !FewBlocks || __atomic_load_n(enteredCount(P), __ATOMIC_RELAXED) != 0;
}

/// Times of the last aging pass and the next, in trace ticks (all bits).
INMEM_HIDDEN extern uint64_t LastAgingTicks, NextAgingTicks;

/// Replaces births that are kSaturatedLifetime or more before \p Now. Must run
/// at least once every kSaturatedLifetime ticks in which blocks are born. Then
/// each birth is known to be within the 2^37 ticks around \p LastAging, the
/// time of the previous pass, and its age is unambiguous, even if the process
/// slept long. Other threads may add and take blocks during a pass, but passes
/// must not overlap. \returns the number of births that it replaced.
uint64_t saturateOldBirths(uint64_t Now, uint64_t LastAging);

/// Returns pages of the index without entries to the system, except pages into
/// which a block in \p Busy[\p Count] would be entered. Until it returns no
/// other block may be entered; blocks may be taken. \returns the number of
/// bytes.
uint64_t returnEmptyPages(void *const *Busy, size_t Count);

/// Ticks from \p Birth (not 0) to \p Now, at most kSaturatedLifetime. Returns 0
/// in place of a negative difference, because clocks of cores differ a little.
INMEM_INLINE uint64_t lifetimeSince(uint64_t Birth, uint64_t Now) {
  if (INMEM_UNLIKELY(Birth == kSaturated))
    return kSaturatedLifetime;
  uint64_t Lifetime = (Now - Birth) & kBirthMask;
  if (INMEM_LIKELY(Lifetime < kSaturatedLifetime))
    return Lifetime;
  return Lifetime > kBirthMask - (uint64_t{1} << 24) ? 0 : kSaturatedLifetime;
}

/// All bits of a \p Birth that is within half the field's range before or after
/// \p LastAging.
INMEM_INLINE uint64_t bornAround(uint64_t Birth, uint64_t LastAging) {
  uint64_t Earliest = LastAging - kSaturatedLifetime;
  return Earliest + ((Birth - Earliest) & kBirthMask);
}

/// As lifetimeSince(), if more than half the field's range may have passed
/// since \p LastAging.
inline uint64_t lifetimeSinceLongAgo(uint64_t Birth, uint64_t Now,
                                     uint64_t LastAging) {
  if (Birth == kSaturated)
    return kSaturatedLifetime;
  uint64_t Lifetime = Now - bornAround(Birth, LastAging);
  return Lifetime < kSaturatedLifetime ? Lifetime : kSaturatedLifetime;
}

/// As lifetimeSince(), for the block with the entry \p Value, in fewer
/// instructions.
INMEM_INLINE uint64_t lifetimeOfEntry(IndexEntry Value, uint64_t Now) {
  constexpr IndexEntry kRest = (IndexEntry{1} << kBirthShift) - 1; // site, size
  const auto Lifetime =
      static_cast<int64_t>((Now << kBirthShift | kRest) - Value);
  if (INMEM_LIKELY(Lifetime >= 0 && Value < kSaturated << kBirthShift))
    return static_cast<uint64_t>(Lifetime) >> kBirthShift;
  return lifetimeSince(birthIn(Value), Now);
}

/// The birth bits of an entry for \p Ticks: neither 0, which means "not timed",
/// nor kSaturated.
INMEM_INLINE IndexEntry bornAt(uint64_t Ticks) {
  constexpr IndexEntry kOne = IndexEntry{1} << kBirthShift;
  const IndexEntry Born = Ticks << kBirthShift;
  return INMEM_UNLIKELY(Born + kOne <= kOne) ? kOne : Born;
}
INMEM_INLINE uint64_t birthAt(uint64_t Ticks) { return birthIn(bornAt(Ticks)); }

/// For a program's own operator new, which may pack blocks closer than 32
/// bytes: reserves the entry of \p P. Returns false if another block has it; \p
/// P then belongs into the side table.
INMEM_COLD bool reserveEntry(void *P);
/// Releases the entry if no block was entered.
INMEM_COLD void releaseEntry(void *P);

/// The side table contains a block that is closer than 32 bytes to another,
/// which has the entry for its address. So that table is searched first.
INMEM_HIDDEN extern bool HasPackedBlocks;
void expectPackedBlocks();

/// Blocks that the index cannot hold: above 47 bits, or closer than 32 bytes to
/// another. A locked hash table; exact, not fast. These functions do nothing in
/// a signal handler that interrupted one of them on the same thread.
INMEM_COLD bool addForeign(void *P, const Block &B);
/// \returns an empty block if none begins at \p P.
INMEM_SLOW Block takeForeign(void *P);
INMEM_COLD Block peekForeign(void *P);

/// Calls \p Visit with every block of the index and the side table. No other
/// thread may add or take blocks during the call: meant for a child that was
/// just forked.
void forEachBlock(void (*Visit)(const Block &));

/// As forEachBlock(), in address order, with the address of the block's
/// granule. Blocks of the side table come last, with their own address.
void forEachLiveBlock(void (*Visit)(void *Context, uintptr_t Address,
                                    const Block &, bool Exact),
                      void *Context);

/// Releases locks that a jump left held by the calling thread (Recovery.h).
void releaseIndexLocks();
/// Call around fork, so that the child finds the index in a complete state.
void lockIndex();
void unlockIndex();
/// Makes the index usable in a forked child.
void resetIndexLocks();

/// The leaf of \p Span as stored in LiveLeaves, to be indexed by all bits of
/// the granule; null if there is no leaf.
INMEM_INLINE IndexEntry *leafAt(uintptr_t Span) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return reinterpret_cast<IndexEntry *>(
      __atomic_load_n(&LiveLeaves[Span], __ATOMIC_RELAXED));
}
/// The entry for \p Address, which is in \p Span.
INMEM_INLINE IndexEntry *entryIn(uintptr_t Span, uintptr_t Address) {
  IndexEntry *Leaf = leafAt(Span);
  return INMEM_LIKELY(Leaf != nullptr) ? &Leaf[Address >> kGranuleShift]
                                       : nullptr;
}
/// As entryOf(), for an address below 2^kAddressBits.
INMEM_INLINE IndexEntry *entryBelow(uintptr_t Address) {
  return entryIn(Address >> kSpanShift, Address);
}
INMEM_INLINE IndexEntry *entryOf(uintptr_t Address) {
  uintptr_t Span = Address >> kSpanShift;
  hideOrigin(Span); // or clang shifts twice
  return INMEM_LIKELY(Span < kLeaves) ? entryIn(Span, Address) : nullptr;
}

/// Called for a block that cannot be entered for lack of memory; may be null.
extern void (*BlockNotEntered)(IndexEntry Value, uint64_t Size);

/// As addBlock(), if a leaf is missing or the address is out of range; false
/// when out of memory.
INMEM_SLOW bool addBlockSlow(void *P, uint64_t Size, IndexEntry Value);

/// Enters a block of \p Size bytes into \p E, the entry for its address; \p
/// Value is the entry without the size.
INMEM_INLINE void fillEntry(IndexEntry *E, uint64_t Size, IndexEntry Value) {
  uint64_t Size6 = Size;
  if (Size >= kSizeFollows) {
    Size6 = kSizeFollows;
    __atomic_store_n(E + 1, Size, __ATOMIC_RELAXED);
  }
  __atomic_store_n(E, Value | Size6, __ATOMIC_RELAXED);
}
/// As fillEntry(), for the block at \p P.
INMEM_INLINE void addBlock(void *P, uint64_t Size, IndexEntry Value) {
  if (IndexEntry *E = entryOf(reinterpret_cast<uintptr_t>(P));
      INMEM_LIKELY(E != nullptr))
    fillEntry(E, Size, Value);
  else
    addBlockSlow(P, Size, Value);
}

/// As addBlock(), also with FewBlocks.
void enterBlock(void *P, uint64_t Size, IndexEntry Value);

/// Re-enters a block that takeBlock() removed, possibly under another site.
void putBack(void *P, const Block &B);

/// A block in which an address was found.
struct EnclosingBlock {
  uintptr_t Begin, End;
  IndexEntry Value; ///< the block is live while the index has this
};

/// The site of the block that contains \p Address, if that block is \p Last or
/// begins at most 1 MB before; 0 if none is known. The block becomes \p Last.
uint32_t siteOfEnclosing(uintptr_t Address, EnclosingBlock &Last);

/// The block at \p P, which stays in the index; an empty block if there is
/// none.
inline Block peekBlock(void *P) {
  if (INMEM_UNLIKELY(HasPackedBlocks))
    if (Block B = peekForeign(P))
      return B;
  auto Address = reinterpret_cast<uintptr_t>(P);
  IndexEntry *E = entryOf(Address);
  IndexEntry Value = E ? __atomic_load_n(E, __ATOMIC_RELAXED) : 0;
  if (!Value)
    return __atomic_load_n(&ForeignBlockCount, __ATOMIC_RELAXED)
               ? peekForeign(P)
               : Block();
  uint64_t Size = sizeIn(Value);
  if (Size == kSizeFollows)
    Size = __atomic_load_n(E + 1, __ATOMIC_RELAXED);
  return {Value, Size};
}

INMEM_INLINE bool isDirect(void *P, uintptr_t Last = LastDirect) {
  return INMEM_LIKELY(reinterpret_cast<uintptr_t>(P) <= Last);
}

/// Removes the block from entry \p E, if \p E is not null and has one.
INMEM_INLINE Block takeEntry(IndexEntry *E) {
  IndexEntry Value =
      INMEM_LIKELY(E != nullptr) ? __atomic_load_n(E, __ATOMIC_RELAXED) : 0;
  if (INMEM_UNLIKELY(!Value))
    return {};
  uint64_t Size = sizeIn(Value);
  if (Size == kSizeFollows) {
    Size = __atomic_load_n(E + 1, __ATOMIC_RELAXED);
    __atomic_store_n(E + 1, 0, __ATOMIC_RELAXED);
  }
  __atomic_store_n(E, 0, __ATOMIC_RELAXED);
  return {Value, Size};
}

/// Removes the block at \p P, which is not in the index, from the side table.
INMEM_INLINE Block takeFromSideTable(void *P) {
  return INMEM_UNLIKELY(__atomic_load_n(&ForeignBlockCount, __ATOMIC_RELAXED))
             ? takeForeign(P)
             : Block();
}

/// As takeBlock(), with \p E, the entry for the address, or null.
INMEM_INLINE Block takeAt(void *P, IndexEntry *E) {
  Block B = takeEntry(E);
  return INMEM_LIKELY(static_cast<bool>(B)) ? B : takeFromSideTable(P);
}

/// As takeBlock(), if isDirect(\p P) is false.
INMEM_SLOW Block takeIndirect(void *P);

/// Removes and returns the block at \p P; an empty block if none is known
/// there.
INMEM_INLINE Block takeBlock(void *P) {
  return isDirect(P) ? takeAt(P, entryBelow(reinterpret_cast<uintptr_t>(P)))
                     : takeIndirect(P);
}

} // namespace inmem::rt

#endif
