//===- PagedArray.h - A growing array in pages ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_PAGEDARRAY_H
#define INMEM_RUNTIME_PAGEDARRAY_H

#include "platform/Platform.h"

namespace inmem::rt {

/// Elements move when it grows. Valid when zero.
template <class Element> struct PagedArray {
  Element *All;
  uint32_t Count, Capacity;

  Element *add() {
    if (Count == Capacity) {
      const uint32_t More = Capacity ? Capacity * 2 : 256;
      auto *Fresh = static_cast<Element *>(mapPages(More * sizeof(Element)));
      if (!Fresh)
        return nullptr;
      if (All) {
        for (uint32_t I = 0; I < Count; ++I)
          Fresh[I] = All[I];
        unmapPages(All, Capacity * sizeof(Element));
      }
      All = Fresh;
      Capacity = More;
    }
    return &All[Count++];
  }
};

} // namespace inmem::rt

#endif
