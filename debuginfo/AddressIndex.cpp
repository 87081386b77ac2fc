//===- AddressIndex.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "debuginfo/AddressIndex.h"

#include <algorithm>
#include <iterator>

namespace inmem::debuginfo {

namespace {

/// A range is listed in each piece of addresses that it overlaps, so that a
/// look-up reads one short list. Long ranges would fill many pieces. They have
/// a list of their own, which a piece gets at its first look-up.
constexpr uint64_t kPiece = 64, kMostPieces = 32;

void append(std::vector<uint32_t> &To, uint32_t Number) {
  if (To.empty() || To.back() != Number)
    To.push_back(Number);
}

} // namespace

void AddressIndex::add(uint64_t Start, uint64_t End, uint32_t Number) {
  if (Start >= End)
    return;
  const uint64_t First = Start / kPiece, Last = (End - 1) / kPiece;
  if (Last - First >= kMostPieces)
    return append(Long, Number);
  for (uint64_t I = First; I <= Last; ++I)
    append(Pieces[I].Numbers, Number);
}

const std::vector<uint32_t> &AddressIndex::near(uint64_t Address) {
  const auto Found = Pieces.find(Address / kPiece);
  if (Found == Pieces.end())
    return Long;
  Piece &Here = Found->second;
  if (!Here.HasLong && !Long.empty()) {
    std::vector<uint32_t> All;
    std::ranges::set_union(Here.Numbers, Long, std::back_inserter(All));
    Here.Numbers = std::move(All);
  }
  Here.HasLong = true;
  return Here.Numbers;
}

} // namespace inmem::debuginfo
