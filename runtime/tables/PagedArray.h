//===- PagedArray.h - A growing array in pages of its own -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_PAGEDARRAY_H
#define INMEM_RUNTIME_PAGEDARRAY_H

#include "platform/Mappings.h"

#include <string.h>

namespace inmem::rt {

/// Holds trivially copyable elements, which move when the array grows. Valid
/// when zero; Count = 0 empties it and keeps its memory. Used by one thread at
/// a time. A longjmp may leave any of these functions: the array is valid after
/// each store.
template <class Element> struct PagedArray {
  Element *Data;
  uint32_t Count, Capacity;

  Element &operator[](uint32_t I) { return Data[I]; }
  const Element &operator[](uint32_t I) const { return Data[I]; }

  /// False when out of memory; then nothing has changed.
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
      // NOLINTNEXTLINE(bugprone-bitwise-pointer-cast): elements may be pointers
      memcpy(Fresh, Old, OldBytes);
    Data = Fresh; // published before the larger capacity
    orderStores();
    Capacity = static_cast<uint32_t>(New);
    if (Old)
      unmapPages(Old, OldBytes);
    return true;
  }
  /// A zeroed element; null when out of memory.
  Element *add() {
    if (!reserve(uint64_t{Count} + 1))
      return nullptr;
    Element *E = &Data[Count++];
    *E = {};
    return E;
  }
  void release() {
    if (Data)
      unmapPages(Data, Capacity * sizeof(Element));
    *this = {};
  }
};

} // namespace inmem::rt

#endif
