//===- Frees.cpp ----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stacks/Frees.h"

#include "allocator/Allocator.h"
#include "index/GranuleTable.h"
#include "platform/Errors.h"
#include "registry/RecordBuilder.h"
#include "stacks/Stacks.h"
#include "state/ThreadRows.h"
#include "tables/Hash.h"
#include "tables/Numbers.h"

#include <string.h>

namespace inmem::rt {

using namespace trace;

struct FreeState {
  /// A 64-bit hash identifies a cell's key, as in StackState.
  struct Known {
    uint64_t Hash;
    FreeCell *Cell;
  };
  static constexpr unsigned kKnown = 1024;
  Known Cells[kKnown];
  Numbers ByKey; ///< site, place, thread, part -> file offset / kCellBytes
  ExtentHeader *Extent;
  uint32_t Since;      ///< part of the run that Cells cover
  uint32_t Generation; ///< code generation of Cells
  void *Reallocating;  ///< block whose owner is Owner, though its memory may be
                       ///< another's
  uint32_t Owner;
};

namespace {

constexpr uint64_t kCellBytes = sizeof(FreeCell);
/// Number of frames outside libraries that identify the code that frees, if
/// stacks= does not set one.
constexpr unsigned kFreeingDepth = 4;

/// Index of the allocating thread; 0: unknown, as for threads above 65,535. The
/// table takes 2 bytes for each 32 bytes of heap.
constinit GranuleTable<uint16_t> Owners;
constinit Relaxed<uint32_t> LastMark = {};
constinit decltype(Real.realloc) TrueRealloc = nullptr;

void setOwner(void *P, uint32_t Index) {
  if (uint16_t *Where = Owners.at(P, /*Make=*/true))
    __atomic_store_n(Where,
                     static_cast<uint16_t>(Index <= UINT16_MAX ? Index : 0),
                     __ATOMIC_RELAXED);
}

/// The owner of a block that was just removed from the index. Call once per
/// block.
uint32_t takeOwner(void *P) {
  uint16_t *Where = Owners.at(P, /*Make=*/false);
  // The entry there belongs to another block; this one is in the side table.
  return Where && !ownsGranule(P)
             ? __atomic_exchange_n(Where, 0, __ATOMIC_RELAXED)
             : 0;
}

/// Takes the owner before realloc frees the old block: when the free is
/// counted, another thread may own the address.
void *reallocRemembering(void *Old, size_t Size) {
  FreeState *S = Thread.Rows ? Thread.Rows->Frees : nullptr;
  if (S) {
    S->Owner = takeOwner(Old);
    S->Reallocating = Old;
  }
  void *New = TrueRealloc(Old, Size);
  if (S && !New && Size) { // realloc failed: Old is still live
    S->Reallocating = nullptr;
    if (S->Owner)
      setOwner(Old, S->Owner);
  }
  return New;
}

/// A new cell of the thread; null if there is no room. Needs the mutex.
FreeCell *addFreeCell(ThreadRows &B, const FreeCell &First) {
  ExtentHeader *&E = B.Frees->Extent;
  auto *C = addElement<FreeCell>(E, ExtentKind::Frees, B.Index, 4 * kPage,
                                 64 * kPage);
  if (!C)
    return nullptr;
  *C = First;
  publishElement(E);
  return C;
}

INMEM_COLD FreeCell *findCell(ThreadRows &B, uint32_t Site, uint32_t Owner) {
  FreeState &S = *B.Frees;
  FreeCell First = {};
  First.Site = Site;
  First.Stack = stackOfWalk(*B.Stacks);
  First.Thread = Owner;
  First.Since = S.Since;
  const uint64_t Key =
      mix(mix(uint64_t{Site} << 32 | First.Stack, Owner), S.Since);
  if (uint32_t At = S.ByKey.find(Key))
    return reinterpret_cast<FreeCell *>(TraceBase + At * kCellBytes);
  Locked L(Process.Mutex);
  FreeCell *C = addFreeCell(B, First);
  if (C)
    S.ByKey.insert(
        Key, static_cast<uint32_t>(Process.Trace.offsetOf(C) / kCellBytes));
  return C;
}

} // namespace

FreeState *makeFreeState() {
  return notesFrees() ? static_cast<FreeState *>(mapPages(sizeof(FreeState)))
                      : nullptr;
}

void noteOwner(ThreadState &T, void *P) {
  if (!T.Fast.UsesSideTable && ownsGranule(P))
    setOwner(P, T.Rows->Index);
}

void noteFree(ThreadState &T, void *P, const Block &B) {
  FreeState *S = T.Rows->Frees;
  StackState *Stacks = T.Rows->Stacks;
  if (!S || !Stacks)
    return;
  const SavedErrno Kept;
  uint32_t Owner = S->Reallocating == P ? S->Owner : takeOwner(P);
  S->Reallocating = nullptr;
  if (INMEM_UNLIKELY(S->Since != LastMark ||
                     S->Generation != codeGeneration())) {
    memset(S->Cells, 0, sizeof S->Cells);
    S->Since = LastMark;
    S->Generation = codeGeneration();
  }
  auto Depth = static_cast<unsigned>(Process.Config.Stacks);
  StackWalk &W = Stacks->Walked;
  walkStack(Stacks->Unwind, W, Depth ? Depth : kFreeingDepth);
  W.Cut &= Depth > 0;
  uint64_t Hash = mix(W.Hash, uint64_t{Owner} << 32 | B.site());
  FreeState::Known &K = S->Cells[Hash % FreeState::kKnown];
  if (INMEM_UNLIKELY(K.Hash != Hash || !K.Cell)) {
    FreeCell *Found = findCell(*T.Rows, B.site(), Owner);
    K.Hash = 0;
    orderStores();
    K.Cell = Found;
    orderStores();
    K.Hash = Hash;
  }
  if (FreeCell *C = K.Cell) {
    C->Frees += 1;
    C->Bytes += B.Size;
  }
}

void startFrees() {
  LastMark = 0;
  if (!notesFrees() || TrueRealloc)
    return;
  resolveAllocator();
  TrueRealloc = Real.realloc;
  __atomic_store_n(&Real.realloc, reallocRemembering, __ATOMIC_RELEASE);
}

void beginFreesAnew(uint32_t Sequence) { LastMark = Sequence; }

} // namespace inmem::rt
