//===- ObjectLifetimes.cpp - objects=lifetime -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "objects/Objects.h"

#include "hot/FastPath.h"
#include "hot/Recorder.h"
#include "hot/RecorderSteps.h"
#include "index/LiveIndex.h"
#include "registry/SiteRegistry.h"
#include "state/Runtime.h"
#include "tables/OpenTable.h"

namespace inmem::rt {

using namespace trace;

namespace {

uint64_t hashOfObject(uintptr_t Address, uint64_t Type) {
  uint64_t Hash = (Address ^ Type) * 0x9E3779B97F4A7C15u;
  return Hash ^ Hash >> 32;
}

/// An object is identified by address and type, since its first member has the
/// same address.
struct Object {
  uintptr_t Address;
  uint64_t Type;
};

struct Live {
  uintptr_t Address; ///< 0: empty slot
  uint64_t Type;
  uint64_t Birth; ///< ticks, not truncated
  uint32_t Site;
  uint32_t Size;

  explicit operator bool() const { return Address != 0; }
  static uint64_t hashOf(const Object &O) {
    return hashOfObject(O.Address, O.Type);
  }
  uint64_t hash() const { return hashOfObject(Address, Type); }
  bool is(const Object &O) const {
    return Address == O.Address && Type == O.Type;
  }
  bool isSame(const Live &L) const {
    return Address == L.Address && Type == L.Type;
  }
  void clear() { Address = 0; }
  void copy(const Live &L) {
    Type = L.Type;
    Birth = L.Birth;
    Site = L.Site;
    Size = L.Size;
    orderStores();
    Address = L.Address;
  }
};

/// One part of the table of live objects.
struct Shard {
  Lock Mutex;
  OpenTable<Live, 256> Table;
};

constexpr size_t kShards = 64;
constinit Shard Shards[kShards] = {};

Shard &shardOf(const Object &O) { return Shards[Live::hashOf(O) >> 58]; }

/// If there is an entry already, that object's destructor was never reported:
/// the counts keep it alive, but it is forgotten here.
void enter(const Live &L) {
  const Object O = {L.Address, L.Type};
  Shard &S = shardOf(O);
  Locked Scope(S.Mutex);
  if (Live *Slot = S.Table.findOrMake(O))
    S.Table.add(Slot, L);
}

bool take(const Object &O, Live &Taken) {
  Shard &S = shardOf(O);
  Locked Scope(S.Mutex);
  Live *Slot = S.Table.find(O);
  if (!Slot)
    return false;
  Taken = *Slot;
  S.Table.remove(Slot);
  return true;
}

/// The sites for objects of one site in blocks of another.
struct HeldSlot {
  struct Pair {
    uint32_t Block, Objects;
  };
  struct inmem_site
      *Site; ///< line: block's site; key: objects' site; null: empty

  explicit operator bool() const { return Site != nullptr; }
  static uint64_t hashOf(const Pair &P) { return P.Block * 31 + P.Objects; }
  Pair pair() const { return {Site->line, static_cast<uint32_t>(Site->key)}; }
  uint64_t hash() const { return hashOf(pair()); }
  bool is(const Pair &P) const {
    return Site->line == P.Block && Site->key == P.Objects;
  }
  bool isSame(const HeldSlot &Other) const { return Site == Other.Site; }
  void clear() { Site = nullptr; }
  void copy(const HeldSlot &Other) { Site = Other.Site; }
};
constinit OpenTable<HeldSlot, 256> Held; // guarded by the mutex

struct inmem_site *heldSite(uint32_t Block, uint32_t Objects) {
  Locked L(Process.Mutex);
  HeldSlot *Slot = Held.findOrMake(HeldSlot::Pair{Block, Objects});
  if (!Slot || *Slot)
    return Slot ? Slot->Site : nullptr;
  auto *Site = static_cast<struct inmem_site *>(
      arenaAllocate(sizeof(struct inmem_site)));
  if (!Site)
    return nullptr;
  Site->kind = INMEM_SITE_HELD;
  Site->line = Block;
  Site->key = Objects;
  Held.add(Slot, {Site});
  return Site;
}

/// The type of blocks that hold an object of \p Object, an INMEM_TYPE_OBJECT.
const struct inmem_type *blockType(const struct inmem_type &Object) {
  auto *Link = relative<int32_t>(Object.fields);
  return Link ? relative<struct inmem_type>(*Link) : nullptr;
}

/// The block of the thread's last object: the next object is often nearby.
constinit __thread EnclosingBlock LastEnclosing
    __attribute__((tls_model("initial-exec"))) = {};

void countHeld(ThreadState &T, uintptr_t Address, uint32_t Objects,
               const struct inmem_type &Type) {
  uint32_t Block = siteOfEnclosing(Address, LastEnclosing);
  if (!Block || Block <= Process.InheritedSites)
    return;
  // A Node in a block of type Node adds nothing.
  const struct inmem_type *Own = blockType(Type);
  if (Own && idOfType(typeOfSite(Block)) == Own->id)
    return;
  uint64_t Size = Type.size;
  struct inmem_site *Site = heldSite(Block, Objects);
  if (!Site)
    return;
  uint32_t Id = 0;
  ObjectSlot S(T, Site, Id);
  if (!S)
    return;
  S.R->Allocations += 1;
  S.R->Bytes += Size;
  S.R->Frees += 1; // a tally: nothing stays alive
  S.R->FreedBytes += Size;
}

/// The end of a copy constructor that threw was not reported: the stack is
/// shorter now than at its call.
void forgetThrown(ThreadState &T, void *Frame) {
  if (T.Copy.Frame && Frame > T.Copy.Frame)
    T.Copy.Frame = nullptr;
}

} // namespace

void releaseObjectLocks() {
  for (Shard &S : Shards)
    if (S.Mutex.isOwn()) {
      S.Table.repair();
      S.Mutex.release();
    }
}

void forgetObjects() {
  for (Shard &S : Shards) {
    S.Mutex.reset();
    S.Table.clear();
  }
  Held.clear();
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
  if (!P || !Type || !Count)
    return;
  SlowEvent Inside(T);
  if (!Inside)
    return;
  forgetThrown(T, __builtin_frame_address(0));
  uint32_t Id = 0;
  ObjectSlot S(T, Site, Id);
  if (!S)
    return;
  S.R->Allocations += Count;
  S.R->Bytes += Count * Type->size;
  changeLive(T, S, static_cast<int64_t>(Count * Type->size));
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
  SlowEvent Inside(T);
  if (!Inside)
    return;
  Live L;
  if (!take({reinterpret_cast<uintptr_t>(P), Type->id}, L))
    return;
  ObjectSlot S(T, nullptr, L.Site);
  if (!S)
    return;
  S.R->Frees += 1;
  S.R->FreedBytes += L.Size;
  changeLive(T, S, -int64_t{L.Size});
  uint64_t Now = ticksNow(T);
  enterLifetime(S.R, Now > L.Birth ? Now - L.Birth : 0, 1, L.Size);
}

INMEM_EXPORT struct inmem_tally __inmem_copy_begin(void) {
  ThreadState &T = Thread;
  forgetThrown(T, __builtin_frame_address(0));
  if (!T.Copy.Frame && !isInside(T)) {
    T.Copy.Frame = __builtin_frame_address(0);
    closeAllocations(T);
  }
  return T.Copy.Inner;
}

INMEM_EXPORT void __inmem_copy_end(struct inmem_site *Site,
                                   uint64_t BeginAllocations,
                                   uint64_t BeginBytes) {
  ThreadState &T = Thread;
  SlowEvent Inside(T);
  if (!Inside)
    return;
  uint64_t Allocations = T.Copy.Inner.allocations - BeginAllocations;
  uint64_t Bytes = T.Copy.Inner.bytes - BeginBytes;
  // This was the outermost copy, so the next allocations may take the fast path
  // again.
  if (T.Copy.Frame && __builtin_frame_address(0) >= T.Copy.Frame)
    T.Copy.Frame = nullptr;
  if (!Allocations)
    return;
  uint32_t Id = 0;
  ObjectSlot S(T, Site, Id);
  if (!S)
    return;
  S.R->InnerAllocations += Allocations;
  S.R->InnerBytes += Bytes;
}
