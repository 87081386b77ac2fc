//===- MappedRanges.h - The mapper of each address --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Disjoint ranges of addresses in order. Adjacent ranges with the same id are
// merged, as in the kernel.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_MAPPEDRANGES_H
#define INMEM_RUNTIME_MAPPEDRANGES_H

#include "tables/PagedArray.h"

namespace inmem::rt {

/// The id of ranges that an allocator other than the C library's has mapped. No
/// total includes them.
inline constexpr uint32_t kAllocatorsRange = 0xfffffffeu;

struct MappedRange {
  uintptr_t Start, End;
  uint32_t Id;
};

/// Valid when zero. Used by one thread at a time. A jump may leave any of these
/// functions; ranges that were being moved may then be missing.
class MappedRanges {
public:
  using Visitor = void (*)(void *Context, const MappedRange &);

  /// Adds a range that does not overlap any other. False when out of memory.
  bool insert(const MappedRange &R);
  /// Removes all addresses of [\p Start, \p End). \p Visit is called with each
  /// part of a range that was there.
  void remove(uintptr_t Start, uintptr_t End, Visitor Visit, void *Context);
  /// Sorted by address.
  template <class F> void forEach(F Visit) const {
    for (uint32_t I = 0; I < Leaves.Count; ++I)
      for (uint32_t J = 0; J < Leaves[I]->Count; ++J)
        Visit(Leaves[I]->Ranges[J]);
  }
  bool isEmpty() const { return Leaves.Count == 0; }
  void clear();

private:
  static constexpr uint32_t kPerLeaf =
      (kPage - sizeof(uint64_t)) / sizeof(MappedRange);
  struct Leaf {
    union {
      uint64_t Count;
      Leaf *NextFree;
    };
    MappedRange Ranges[kPerLeaf];
  };
  static_assert(sizeof(Leaf) <= kPage);
  /// Position of a range; Leaf == Leaves.Count: past the last one.
  struct Position {
    uint32_t Leaf, At;
  };

  Position firstEndingAfter(uintptr_t Address) const;
  MappedRange *rangeAt(Position P) {
    return P.Leaf < Leaves.Count ? &Leaves[P.Leaf]->Ranges[P.At] : nullptr;
  }
  MappedRange *rangeBefore(Position P);
  bool insertAt(Position P, const MappedRange &R);
  bool addLeaf(uint32_t At);
  bool split(uint32_t At);
  void eraseAt(Position P);

  PagedArray<Leaf *> Leaves = {}; ///< no leaf is empty
  Leaf *Free = nullptr;
};

} // namespace inmem::rt

#endif
