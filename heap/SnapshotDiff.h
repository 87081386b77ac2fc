//===- SnapshotDiff.h - Changes between two snapshots -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_HEAP_SNAPSHOTDIFF_H
#define INMEM_HEAP_SNAPSHOTDIFF_H

#include "heap/Analysis.h"

namespace inmem::heap {

struct TypeChange {
  std::string_view Type;
  int64_t Objects = 0, Bytes = 0, Retained = 0;
};

/// As above, by the name that reports give the blocks.
struct KindChange {
  std::string_view Name;
  int64_t Objects = 0, Bytes = 0, Retained = 0;
};

/// An object of both snapshots that retains more or less in the second.
struct HolderChange {
  uint32_t Object = 0; ///< index in the new snapshot
  int64_t Retained = 0;
};

/// Objects that are not in the old snapshot.
struct Newcomers {
  std::string_view Type;
  uint32_t Site = 0;
  uint64_t Objects = 0, Bytes = 0;
};

struct HeapDiff {
  int64_t Objects = 0, Bytes = 0, UnreachableBytes = 0;
  std::vector<TypeChange> Types;     ///< the largest change first
  std::vector<KindChange> Kinds;     ///< the largest change first
  std::vector<HolderChange> Holders; ///< the most growth first
  std::vector<Newcomers> New;        ///< the most bytes first
};

/// Objects are the same if address, size, type and site are, and if the age is
/// unknown or long enough.
HeapDiff compare(const Heap &Old, const Analysis &OldA, const Heap &New,
                 const Analysis &NewA);

} // namespace inmem::heap

#endif
