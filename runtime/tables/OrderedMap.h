//===- OrderedMap.h - Elements by key, in insertion order -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_ORDEREDMAP_H
#define INMEM_RUNTIME_ORDEREDMAP_H

#include "tables/OpenTable.h"
#include "tables/PagedArray.h"

namespace inmem::rt {

/// Valid when zero; keeps its memory when cleared. Element has a member Key
/// with operator== and a static hash(). For one thread at a time. A longjmp may
/// leave a change half done; only clear() may follow.
template <class Element> class OrderedMap {
  using KeyType = decltype(Element::Key);

public:
  uint32_t count() const { return Elements.Count; }
  Element &operator[](uint32_t I) { return Elements[I]; }

  Element *find(const KeyType &K) {
    Slot *P = Slots.find(K);
    return P ? &Elements[P->Number - 1] : nullptr;
  }
  /// The element of \p K, added if necessary; null when out of memory.
  Element *at(const KeyType &K) {
    if (Element *Found = find(K))
      return Found;
    Slot *P = Slots.findOrMake(K);
    Element *E = P ? Elements.add() : nullptr;
    if (!E)
      return nullptr;
    E->Key = K;
    Slots.add(P, {K, Elements.Count});
    return E;
  }
  /// Removes an element; the last one moves into its place.
  void remove(Element *E) {
    Slots.remove(Slots.find(E->Key));
    const Element &Last = Elements[Elements.Count - 1];
    if (E != &Last) {
      Slots.find(Last.Key)->Number =
          static_cast<uint32_t>(E - Elements.Data) + 1;
      *E = Last;
    }
    --Elements.Count;
  }
  void clear() {
    Elements.Count = 0;
    if (Slots.count() > 0) // often runs on an empty map
      Slots.clear();
  }

private:
  struct Slot {
    KeyType Key;
    uint32_t Number; ///< index + 1; 0: unused

    explicit operator bool() const { return Number != 0; }
    static uint64_t hashOf(const KeyType &K) {
      return Element::hash(K) * 0x9E3779B97F4A7C15u >> 32;
    }
    uint64_t hash() const { return hashOf(Key); }
    bool is(const KeyType &K) const { return Key == K; }
    bool isSame(const Slot &Other) const { return Key == Other.Key; }
    void clear() { Number = 0; }
    void copy(const Slot &Other) {
      Key = Other.Key;
      orderStores();
      Number = Other.Number;
    }
  };

  PagedArray<Element> Elements;
  OpenTable<Slot, 128> Slots;
};

} // namespace inmem::rt

#endif
