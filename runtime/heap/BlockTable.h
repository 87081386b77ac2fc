//===- BlockTable.h - Live blocks by address --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_BLOCKTABLE_H
#define INMEM_RUNTIME_BLOCKTABLE_H

#include "graph/Pages.h"

namespace inmem::rt {

/// Blocks in address order: an array of structures that begin with a block's
/// address.
struct KnownBlocks {
  const void *First;
  size_t Stride, Count;
  uintptr_t operator[](size_t I) const {
    uintptr_t Begin;
    memcpy(&Begin, static_cast<const char *>(First) + I * Stride, sizeof Begin);
    return Begin;
  }
};

/// Finds the last block that begins before an address, in constant time: there
/// is an entry for each page from the first block of a cluster to the last.
/// Gaps of 4 MiB or more separate clusters. Without memory for the table, or
/// with more than 2^32 blocks, it searches.
class BlockTable {
public:
  void build(const KnownBlocks &All);
  /// The number of blocks that begin at \p Address or before it.
  size_t countUpTo(uintptr_t Address) const;

private:
  struct Cluster {
    uintptr_t FirstPage, LastPage;
    size_t Table; ///< index of the first page's entry; an extra one ends the
                  ///< last page
  };
  static constexpr unsigned kPageShift = 12;

  const Cluster *clusterOf(uintptr_t Page) const;
  size_t search(uintptr_t Address, size_t Low, size_t High) const;

  KnownBlocks Blocks = {};
  Pages<Cluster> Clusters;
  Pages<uint32_t> FirstInPage;
  mutable size_t Last = 0; ///< last cluster found
};

} // namespace inmem::rt

#endif
