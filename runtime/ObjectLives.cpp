//===- ObjectLives.cpp - objects=lifetime ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ObjectLives.h"

#include "LiveIndex.h"
#include "Recorder.h"
#include "Runtime.h"
#include "SiteRegistry.h"

#include <string.h>

namespace inmem::rt {

using namespace trace;

namespace {

struct Live {
  uintptr_t Address; ///< 0: an empty place
  uint64_t Type;     ///< an object and its first member share their address
  uint64_t Birth;    ///< ticks, all bits
  uint32_t Site;
  uint32_t Size;
};

/// A part of the table of living objects: open addressing, linear probing, no
/// tombstones.
struct Shard {
  Lock Mutex;
  Live *Table;
  size_t Capacity, Count;
};

constexpr size_t kShards = 64;
constinit Shard Shards[kShards] = {};

uint64_t hashOf(uintptr_t Address, uint64_t Type) {
  uint64_t Hash = (Address ^ Type) * 0x9E3779B97F4A7C15u;
  return Hash ^ Hash >> 32;
}

Shard &shardOf(uint64_t Hash) { return Shards[Hash >> 58]; }

Live *placeOf(const Shard &S, uintptr_t Address, uint64_t Type) {
  size_t At = hashOf(Address, Type) & (S.Capacity - 1);
  while (S.Table[At].Address &&
         (S.Table[At].Address != Address || S.Table[At].Type != Type))
    At = (At + 1) & (S.Capacity - 1);
  return &S.Table[At];
}

bool grow(Shard &S) {
  if (S.Count * 2 < S.Capacity)
    return true;
  size_t OldCapacity = S.Capacity;
  Live *Old = S.Table;
  size_t New = OldCapacity ? OldCapacity * 2 : 256;
  auto *Fresh = static_cast<Live *>(mapPages(New * sizeof(Live)));
  if (!Fresh)
    return S.Count + 1 < S.Capacity;
  S.Table = Fresh;
  S.Capacity = New;
  for (size_t I = 0; I < OldCapacity; ++I)
    if (Old[I].Address)
      *placeOf(S, Old[I].Address, Old[I].Type) = Old[I];
  if (Old)
    unmapPages(Old, OldCapacity * sizeof(Live));
  return true;
}

/// One that is there already never met its destructor; it stays alive in the
/// counts and is forgotten here.
void enter(const Live &L) {
  Shard &S = shardOf(hashOf(L.Address, L.Type));
  Locked Scope(S.Mutex);
  if (!grow(S))
    return;
  Live *Place = placeOf(S, L.Address, L.Type);
  S.Count += Place->Address == 0;
  *Place = L;
}

bool take(uintptr_t Address, uint64_t Type, Live &Taken) {
  Shard &S = shardOf(hashOf(Address, Type));
  Locked Scope(S.Mutex);
  if (!S.Table)
    return false;
  Live *Hole = placeOf(S, Address, Type);
  if (!Hole->Address)
    return false;
  Taken = *Hole;
  --S.Count;
  // Whatever probed past the hole moves up.
  size_t Mask = S.Capacity - 1;
  size_t Empty = static_cast<size_t>(Hole - S.Table);
  for (size_t At = (Empty + 1) & Mask; S.Table[At].Address;
       At = (At + 1) & Mask) {
    size_t Home = hashOf(S.Table[At].Address, S.Table[At].Type) & Mask;
    if (((At - Home) & Mask) >= ((At - Empty) & Mask)) {
      S.Table[Empty] = S.Table[At];
      Empty = At;
    }
  }
  S.Table[Empty].Address = 0;
  return true;
}

/// Which sites' blocks hold objects of which sites.
struct Tie {
  struct inmem_site Site; ///< line: the block's; key: the objects'
  Tie *Next;
};
constexpr size_t kTieBuckets = 256;
constinit Tie *Ties[kTieBuckets] = {};

struct inmem_site *tieOf(uint32_t Block, uint32_t Objects) {
  Tie *&First = Ties[(Block * 31 + Objects) % kTieBuckets];
  Locked L(Process.Mutex);
  for (Tie *T = First; T; T = T->Next)
    if (T->Site.line == Block && T->Site.key == Objects)
      return &T->Site;
  auto *T = static_cast<Tie *>(arenaAllocate(sizeof(Tie)));
  if (!T)
    return nullptr;
  T->Site.kind = INMEM_SITE_HELD;
  T->Site.line = Block;
  T->Site.key = Objects;
  T->Next = First;
  First = T;
  return &T->Site;
}

/// The type of blocks that hold an object of \p Object, an INMEM_TYPE_OBJECT.
const struct inmem_type *blockType(const struct inmem_type &Object) {
  auto *Link = relative<int32_t>(Object.fields);
  return Link ? relative<struct inmem_type>(*Link) : nullptr;
}

/// Where the thread's last object was placed: the next will often be beside it.
constinit __thread EnclosingBlock LastEnclosing
    __attribute__((tls_model("initial-exec"))) = {};

void countHeld(ThreadState &T, uintptr_t Address, uint32_t Objects,
               const struct inmem_type &Type) {
  uint32_t Block = siteOfEnclosing(Address, LastEnclosing);
  if (!Block || Block <= Process.InheritedSites)
    return;
  // A Node in a block of Node is no news.
  const struct inmem_type *Own = blockType(Type);
  if (Own && idOfType(typeOfSite(Block)) == Own->id)
    return;
  uint64_t Size = Type.size;
  struct inmem_site *Site = tieOf(Block, Objects);
  uint32_t Id = 0;
  Slot S;
  if (!Site || !slotForObjects(T, Site, Id, S))
    return;
  S.R->Allocations += 1;
  S.R->Bytes += Size;
  S.R->Frees += 1; // a tally: nothing of it is ever alive
  S.R->FreedBytes += Size;
}

/// A copy constructor that threw left without saying so: the stack is shorter
/// now than when it was called.
void forgetThrown(ThreadState &T, void *Frame) {
  if (T.CopyFrame && Frame > T.CopyFrame)
    T.CopyFrame = nullptr;
}

} // namespace

void forgetObjects() {
  for (Shard &S : Shards) {
    S.Mutex.reset();
    if (S.Table)
      memset(S.Table, 0, S.Capacity * sizeof(Live));
    S.Count = 0;
  }
  memset(Ties, 0, sizeof Ties);
}

} // namespace inmem::rt

using namespace inmem::rt;

INMEM_EXPORT void __inmem_object_constructed(void *P, struct inmem_site *Site) {
  __inmem_objects_constructed(P, Site, 1, 0);
}

INMEM_EXPORT void __inmem_objects_constructed(void *P, struct inmem_site *Site,
                                              uint64_t Count, uint64_t Stride) {
  ThreadState &T = Thread;
  const auto *Type = relative<struct inmem_type>(Site->type);
  if (T.Guard > 0 || !P || !Type || !Count)
    return;
  SlowPath Inside(T);
  forgetThrown(T, __builtin_frame_address(0));
  uint32_t Id = 0;
  Slot S;
  if (!slotForObjects(T, Site, Id, S))
    return;
  S.R->Allocations += Count;
  S.R->Bytes += Count * Type->size;
  addLive(S.C, Count * Type->size);
  auto Address = reinterpret_cast<uintptr_t>(P);
  uint64_t Now = ticksNow(T);
  for (uint64_t I = 0; I < Count; ++I, Address += Stride) {
    enter({Address, Type->id, Now, Id, static_cast<uint32_t>(Type->size)});
    if ((Site->array_cookie & 15) == INMEM_STORAGE_PLACED) {
      if (Count == 1)
        if (const struct inmem_type *Whole = blockType(*Type))
          becomeObject(P, Whole);
      countHeld(T, Address, Id, *Type);
    }
  }
}

INMEM_EXPORT void __inmem_object_destroyed(void *P,
                                           const struct inmem_type *Type) {
  ThreadState &T = Thread;
  if (T.Guard > 0)
    return;
  SlowPath Inside(T);
  Live L;
  Slot S;
  if (!take(reinterpret_cast<uintptr_t>(P), Type->id, L) ||
      !slotForObjects(T, nullptr, L.Site, S))
    return;
  S.R->Frees += 1;
  S.R->FreedBytes += L.Size;
  subtractLive(S.C, L.Size);
  uint64_t Now = ticksNow(T);
  enterLife(S.R, Now > L.Birth ? Now - L.Birth : 0, 1, L.Size);
}

INMEM_EXPORT struct inmem_tally __inmem_copy_begin(void) {
  ThreadState &T = Thread;
  forgetThrown(T, __builtin_frame_address(0));
  if (!T.CopyFrame && T.Guard == 0) {
    T.CopyFrame = __builtin_frame_address(0);
    T.AllocateSlots = 0; // the next allocation takes the slow path
    T.Allocates = Way::Unusual;
  }
  return T.Inner;
}

INMEM_EXPORT void __inmem_copy_end(struct inmem_site *Site,
                                   uint64_t BeginAllocations,
                                   uint64_t BeginBytes) {
  ThreadState &T = Thread;
  if (T.Guard > 0)
    return;
  SlowPath Inside(T);
  uint64_t Allocations = T.Inner.allocations - BeginAllocations;
  uint64_t Bytes = T.Inner.bytes - BeginBytes;
  // Not inside of another one: allocations are fast again from the next on.
  if (T.CopyFrame && __builtin_frame_address(0) >= T.CopyFrame)
    T.CopyFrame = nullptr;
  uint32_t Id = 0;
  Slot S;
  if (!Allocations || !slotForObjects(T, Site, Id, S))
    return;
  S.R->InnerAllocations += Allocations;
  S.R->InnerBytes += Bytes;
}
