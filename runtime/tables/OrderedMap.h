//===- OrderedMap.h - Growing arrays and maps, in pages ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_ORDEREDMAP_H
#define INMEM_RUNTIME_ORDEREDMAP_H

#include "platform/Compiler.h"
#include "platform/Mappings.h"

#include <string.h>

namespace inmem::rt {

/// A growing array in pages of its own. Valid when zero; emptied, it keeps its
/// memory.
template <class Element> struct Pages {
  Element *Data;
  uint32_t Count, Capacity;

  Element &operator[](uint32_t I) { return Data[I]; }
  bool reserve(uint64_t Wanted) {
    if (Wanted <= Capacity)
      return true;
    uint64_t New = Capacity ? uint64_t{Capacity} * 2
                            : roundUp(sizeof(Element), kPage) / sizeof(Element);
    New = New < Wanted ? Wanted : New;
    if (New >= UINT32_MAX)
      return false;
    auto *Fresh = static_cast<Element *>(mapPages(New * sizeof(Element)));
    if (!Fresh)
      return false;
    Element *Old = Data;
    const size_t OldBytes = Capacity * sizeof(Element);
    if (Old)
      memcpy(Fresh, Old, Count * sizeof(Element));
    Data = Fresh; // the larger one first: a jump may leave us here
    orderStores();
    Capacity = static_cast<uint32_t>(New);
    if (Old)
      unmapPages(Old, OldBytes);
    return true;
  }
  /// A zeroed element; null without memory.
  Element *add() {
    if (!reserve(uint64_t{Count} + 1))
      return nullptr;
    Element *E = &Data[Count++];
    *E = {};
    return E;
  }
};

/// Elements by a key, for which Element has operator==, in insertion order:
/// chains through Element.Chain (1-based; 0 ends one).
template <class Element> struct Map {
  Pages<Element> Elements;
  uint32_t *Heads;
  uint32_t HeadCount;

  template <class Key> uint32_t &headOf(const Key &K) {
    return Heads[(Element::hash(K) * 0x9E3779B97F4A7C15u >> 32) &
                 (HeadCount - 1)];
  }
  template <class Key> Element *find(const Key &K) {
    if (!HeadCount)
      return nullptr;
    for (uint32_t I = headOf(K); I; I = Elements[I - 1].Chain)
      if (Elements[I - 1].Key == K)
        return &Elements[I - 1];
    return nullptr;
  }
  bool growHeads() {
    if (Elements.Count < HeadCount)
      return true;
    uint32_t New = HeadCount ? HeadCount * 2 : 256;
    auto *Fresh = static_cast<uint32_t *>(mapPages(New * sizeof(uint32_t)));
    if (!Fresh)
      return HeadCount != 0;
    if (Heads)
      unmapPages(Heads, HeadCount * sizeof(uint32_t));
    Heads = Fresh;
    orderStores();
    HeadCount = New;
    for (uint32_t I = 0; I < Elements.Count; ++I)
      link(I);
    return true;
  }
  void link(uint32_t I) {
    uint32_t &Head = headOf(Elements[I].Key);
    Elements[I].Chain = Head;
    Head = I + 1;
  }
  /// The element of \p K, added if need be; null without memory.
  template <class Key> Element *at(const Key &K) {
    if (Element *Found = find(K))
      return Found;
    if (!growHeads())
      return nullptr;
    Element *E = Elements.add();
    if (!E)
      return nullptr;
    E->Key = K;
    link(Elements.Count - 1);
    return E;
  }
  /// Takes an element out; the last one moves into its place.
  void remove(Element *E) {
    auto I = static_cast<uint32_t>(E - Elements.Data);
    auto Last = Elements.Count - 1;
    unlink(I);
    if (I != Last) {
      unlink(Last);
      Elements[I] = Elements[Last];
      link(I);
    }
    --Elements.Count;
  }
  void unlink(uint32_t I) {
    uint32_t *At = &headOf(Elements[I].Key);
    while (*At != I + 1)
      At = &Elements[*At - 1].Chain;
    *At = Elements[I].Chain;
  }
  void clear() {
    Elements.Count = 0;
    if (Heads)
      memset(Heads, 0, HeadCount * sizeof(uint32_t));
  }
};

} // namespace inmem::rt

#endif
