//===- AddressIndex.h - Which of many ranges contain an address -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_DEBUGINFO_ADDRESSINDEX_H
#define INMEM_DEBUGINFO_ADDRESSINDEX_H

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace inmem::debuginfo {

/// Numbered ranges of addresses, which may overlap. A look-up takes time in
/// proportion to the ranges near the address and to the long ones. Not
/// thread-safe.
class AddressIndex {
public:
  /// Adds addresses from \p Start to before \p End to \p Number. Numbers must
  /// not decrease; several ranges may have one.
  void add(uint64_t Start, uint64_t End, uint32_t Number);

  /// The numbers of ranges near \p Address, ascending and without duplicates.
  /// All ranges that contain it are among them. Valid until the next call.
  const std::vector<uint32_t> &near(uint64_t Address);

private:
  std::vector<uint32_t> Long;
  struct Piece {
    std::vector<uint32_t> Numbers;
    bool HasLong = false;
  };
  std::unordered_map<uint64_t, Piece> Pieces; ///< by address / kPiece
};

} // namespace inmem::debuginfo

#endif
