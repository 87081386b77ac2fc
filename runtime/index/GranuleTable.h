//===- GranuleTable.h - One more value for each live block ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Has the layout of the live index, which has each granule's owner. Leaves are
// created on first use, so an option that is off costs nothing.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_GRANULETABLE_H
#define INMEM_RUNTIME_GRANULETABLE_H

#include "index/LiveIndex.h"
#include "platform/Mappings.h"

namespace inmem::rt {

template <class Value> class GranuleTable {
public:
  /// The value of the granule at \p P, initially 0; null if it has no leaf yet
  /// (with \p Make: when out of memory). Takes no lock.
  Value *at(void *P, bool Make) {
    auto Address = reinterpret_cast<uintptr_t>(P);
    size_t Span = Address >> kSpanShift;
    if (Span >= kLeaves)
      return nullptr;
    Value **All = published(&Leaves, Make ? kLeaves * sizeof(Value *) : 0);
    Value *Leaf =
        All ? published(&All[Span], Make ? kLeafEntries * sizeof(Value) : 0)
            : nullptr;
    return Leaf ? Leaf + ((Address >> kGranuleShift) & (kLeafEntries - 1))
                : nullptr;
  }

private:
  template <class Table> static Table *published(Table **Where, size_t Bytes) {
    Table *Known = __atomic_load_n(Where, __ATOMIC_ACQUIRE);
    if (Known || !Bytes)
      return Known;
    auto *Fresh = static_cast<Table *>(mapPages(Bytes));
    if (Fresh &&
        !__atomic_compare_exchange_n(Where, &Known, Fresh, false,
                                     __ATOMIC_RELEASE, __ATOMIC_ACQUIRE)) {
      unmapPages(Fresh, Bytes); // another thread was first
      return Known;
    }
    return Fresh;
  }

  Value **Leaves = nullptr;
};

/// Blocks of the side table may share a granule, so they have no value of their
/// own.
inline bool ownsGranule(void *P) {
  IndexEntry *E = entryOf(reinterpret_cast<uintptr_t>(P));
  return E && __atomic_load_n(E, __ATOMIC_RELAXED);
}

} // namespace inmem::rt

#endif
