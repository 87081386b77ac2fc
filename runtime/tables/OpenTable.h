//===- OpenTable.h - Open addressing, for one thread at a time ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear probing, no tombstones: an emptied place is refilled from its run
// (Knuth, TAOCP 3, 6.4, algorithm R). Valid when zero. Users hold a lock, and
// are ready to be left by a jump at any store (Recovery.h): elements are copied
// before they are cleared, so that none is lost, and repair() restores a table
// after such a jump.
//
// A Slot is an element of the table:
//   explicit operator bool() const    true if it holds a value
//   uint64_t hash() const             of its value
//   bool is(const Key &) const        true if it has this key
//   static uint64_t hashOf(const Key &)
//   bool isSame(const Slot &) const  whether both hold the same key
//   void clear()                      in one store
//   void copy(const Slot &)          the member that operator bool reads last
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_OPENTABLE_H
#define INMEM_RUNTIME_OPENTABLE_H

#include "platform/Compiler.h"
#include "platform/Mappings.h"

namespace inmem::rt {

template <class Slot, size_t FirstCapacity> class OpenTable {
public:
  size_t count() const { return Count; }

  /// The slot of \p K, or null.
  template <class Key> Slot *find(const Key &K) const {
    if (!Current)
      return nullptr;
    Slot *At = slotFor(*Current, K);
    return *At ? At : nullptr;
  }

  /// The slot of \p K, or an empty one for add(); null when out of memory.
  template <class Key> Slot *findOrMake(const Key &K) {
    Slot *At = Current ? slotFor(*Current, K) : nullptr;
    if (At && (*At || hasRoom()))
      return At;
    return makeRoom() ? slotFor(*Current, K) : nullptr;
  }
  /// Fills a slot that findOrMake() returned.
  void add(Slot *At, const Slot &New) {
    if (!*At)
      ++Count;
    orderStores();
    At->copy(New);
  }

  void remove(Slot *At) {
    Changing = true;
    orderStores();
    const size_t Mask = Current->Capacity - 1;
    auto Hole = static_cast<size_t>(At - Current->Slots);
    for (size_t Probe = (Hole + 1) & Mask; Current->Slots[Probe];
         Probe = (Probe + 1) & Mask) {
      // The element stays if its home is cyclically in (Hole, Probe].
      const size_t Home = Current->Slots[Probe].hash() & Mask;
      if (((Probe - Home) & Mask) < ((Probe - Hole) & Mask))
        continue;
      Current->Slots[Hole].clear();
      orderStores();
      Current->Slots[Hole].copy(Current->Slots[Probe]);
      orderStores();
      Hole = Probe;
    }
    Current->Slots[Hole].clear();
    --Count;
    orderStores();
    Changing = false;
  }

  /// Repairs the table after a jump may have left a change half done.
  void repair() {
    if (Changing && rebuild(Current->Capacity))
      Changing = false;
  }

  template <class Visitor> void forEach(Visitor Visit) {
    for (size_t I = 0; Current && I < Current->Capacity; ++I)
      if (Current->Slots[I])
        Visit(Current->Slots[I]);
  }

  /// Removes all elements for which \p IsGone returns true.
  template <class Predicate> void removeIf(Predicate IsGone) {
    forEach([&](Slot &P) {
      if (IsGone(P)) {
        Changing = true;
        P.clear();
      }
    });
    repair();
  }

  /// Empties the table but keeps its memory; also used in forked children.
  void clear() {
    forEach([](Slot &P) { P.clear(); });
    Count = 0;
    Changing = false;
  }
  void release() {
    if (Current)
      unmapPages(Current, bytesFor(Current->Capacity));
    Current = nullptr;
    Count = 0;
    Changing = false;
  }

private:
  struct Body {
    size_t Capacity;
    Slot Slots[];
  };
  static size_t bytesFor(size_t Capacity) {
    return sizeof(Body) + Capacity * sizeof(Slot);
  }

  template <class Key> static Slot *slotFor(Body &B, const Key &K) {
    const size_t Mask = B.Capacity - 1;
    size_t At = Slot::hashOf(K) & Mask;
    while (B.Slots[At] && !B.Slots[At].is(K))
      At = (At + 1) & Mask;
    return &B.Slots[At];
  }

  /// Kept at most three quarters full.
  bool hasRoom() const { return (Count + 1) * 4 <= Current->Capacity * 3; }
  /// Grows the table; when out of memory, fills it up to its last slot but one.
  bool makeRoom() {
    return rebuild(Current ? Current->Capacity * 2 : FirstCapacity) ||
           (Current && Count + 1 < Current->Capacity);
  }

  bool rebuild(size_t Capacity) {
    auto *Fresh = static_cast<Body *>(mapPages(bytesFor(Capacity)));
    if (!Fresh)
      return false;
    Fresh->Capacity = Capacity;
    size_t Found = 0;
    forEach([&](Slot &P) {
      size_t At = P.hash() & (Capacity - 1);
      while (Fresh->Slots[At] && !Fresh->Slots[At].isSame(P))
        At = (At + 1) & (Capacity - 1);
      Found += !Fresh->Slots[At];
      Fresh->Slots[At].copy(P);
    });
    Body *Old = Current;
    orderStores();
    Current = Fresh;
    Count = Found;
    if (Old)
      unmapPages(Old, bytesFor(Old->Capacity));
    return true;
  }

  Body *Current = nullptr;
  size_t Count = 0;
  bool Changing = false;
};

} // namespace inmem::rt

#endif
