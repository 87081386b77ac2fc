//===- OpenTable.h - Open addressing, for one thread at a time ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear probing, no tombstones: a place that is emptied is refilled from its
// run (Knuth, TAOCP 3, 6.4, algorithm R). Valid when zero. Users hold a lock,
// and are ready to be left by a jump at any store (Recovery.h): elements are
// copied before they are cleared, so that none is lost, and mend() makes a
// table of what such a jump has left.
//
// A Place is what stands in the table:
//   explicit operator bool() const    whether it holds anything
//   uint64_t hash() const             of what it holds
//   bool is(const Key &) const        whether that is of this key
//   static uint64_t hashOf(const Key &)
//   bool isSame(const Place &) const  whether both hold the same key
//   void clear()                      in one store
//   void copy(const Place &)          what operator bool looks at last
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_OPENTABLE_H
#define INMEM_RUNTIME_OPENTABLE_H

#include "platform/Compiler.h"
#include "platform/Mappings.h"

namespace inmem::rt {

template <class Place, size_t FirstCapacity> class OpenTable {
public:
  size_t count() const { return Count; }

  /// The place of \p K, or null.
  template <class Key> Place *find(const Key &K) const {
    if (!Current)
      return nullptr;
    Place *At = placeFor(*Current, K);
    return *At ? At : nullptr;
  }

  /// The place of \p K, or an empty one for add(); null when out of memory.
  template <class Key> Place *findOrMake(const Key &K) {
    Place *At = Current ? placeFor(*Current, K) : nullptr;
    if (At && (*At || hasRoom()))
      return At;
    return makeRoom() ? placeFor(*Current, K) : nullptr;
  }
  /// Fills a place that findOrMake returned.
  void add(Place *At, const Place &New) {
    if (!*At)
      ++Count;
    orderStores();
    At->copy(New);
  }

  void remove(Place *At) {
    Changing = true;
    orderStores();
    const size_t Mask = Current->Capacity - 1;
    auto Hole = static_cast<size_t>(At - Current->Places);
    for (size_t Probe = (Hole + 1) & Mask; Current->Places[Probe];
         Probe = (Probe + 1) & Mask) {
      // It stays if its home lies cyclically in (Hole, Probe].
      const size_t Home = Current->Places[Probe].hash() & Mask;
      if (((Probe - Home) & Mask) < ((Probe - Hole) & Mask))
        continue;
      Current->Places[Hole].clear();
      orderStores();
      Current->Places[Hole].copy(Current->Places[Probe]);
      orderStores();
      Hole = Probe;
    }
    Current->Places[Hole].clear();
    --Count;
    orderStores();
    Changing = false;
  }

  /// Repairs the table after a jump may have left a change half done.
  void mend() {
    if (Changing && rebuild(Current->Capacity))
      Changing = false;
  }

  template <class Visitor> void forEach(Visitor Visit) {
    for (size_t I = 0; Current && I < Current->Capacity; ++I)
      if (Current->Places[I])
        Visit(Current->Places[I]);
  }

  /// Removes all elements for which \p IsGone returns true.
  template <class Predicate> void removeIf(Predicate IsGone) {
    forEach([&](Place &P) {
      if (IsGone(P)) {
        Changing = true;
        P.clear();
      }
    });
    mend();
  }

  /// Empties the table but keeps its memory; also used in forked children.
  void clear() {
    forEach([](Place &P) { P.clear(); });
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
    Place Places[];
  };
  static size_t bytesFor(size_t Capacity) {
    return sizeof(Body) + Capacity * sizeof(Place);
  }

  template <class Key> static Place *placeFor(Body &B, const Key &K) {
    const size_t Mask = B.Capacity - 1;
    size_t At = Place::hashOf(K) & Mask;
    while (B.Places[At] && !B.Places[At].is(K))
      At = (At + 1) & Mask;
    return &B.Places[At];
  }

  /// At most three quarters full.
  bool hasRoom() const { return (Count + 1) * 4 <= Current->Capacity * 3; }
  /// Grows the table; when out of memory, fills it up to its last place but
  /// one.
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
    forEach([&](Place &P) {
      size_t At = P.hash() & (Capacity - 1);
      while (Fresh->Places[At] && !Fresh->Places[At].isSame(P))
        At = (At + 1) & (Capacity - 1);
      Found += !Fresh->Places[At];
      Fresh->Places[At].copy(P);
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
