//===- Packing.cpp - The size of a class without padding between members --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/TypeFacts.h"

#include "inmem/abi.h"

#include <algorithm>
#include <bit>

namespace inmem::report {

static uint64_t alignTo(uint64_t Bytes, uint64_t Align) {
  return (Bytes + Align - 1) / Align * Align;
}

std::optional<PackedResult> packingOf(const trace::Trace &T,
                                      const trace::Type &Type) {
  return packingOf(Type, T.fields(Type));
}

std::optional<PackedResult> packingOf(const trace::Type &Type,
                                      std::span<const trace::Field> Fields) {
  if ((Type.Flags & INMEM_TYPE_CLASS) == 0 ||
      (Type.Flags & INMEM_TYPE_UNION) != 0 || Type.FieldCount < 2 ||
      Type.Size == 0 || !std::has_single_bit(Type.Align) ||
      Type.Name.starts_with("std::"))
    return std::nullopt;
  struct Member {
    uint64_t Align, Size;
    std::string_view Name;
  };
  std::vector<Member> Members;
  uint64_t Bytes = 0; // bases and vtable pointer stay in front
  for (const trace::Field &F : Fields) {
    const bool InFront =
        F.Kind == INMEM_FIELD_BASE || F.Kind == INMEM_FIELD_VPTR;
    if (F.Kind == INMEM_FIELD_BITFIELD || F.Kind == INMEM_FIELD_VIRTUAL_BASE ||
        (F.Name.empty() && !InFront))
      return std::nullopt;
    if (InFront) {
      Bytes = std::max(Bytes, uint64_t{F.Offset} + F.Size);
      continue;
    }
    if (F.Size == 0)
      return std::nullopt; // [[no_unique_address]]
    // The lowest bit that is set in all three.
    const uint64_t All = uint64_t{F.Offset} | F.Size | Type.Align;
    Members.push_back({All & (~All + 1), F.Size, F.Name});
  }
  std::stable_sort(
      Members.begin(), Members.end(),
      [](const Member &A, const Member &B) { return A.Align > B.Align; });
  PackedResult Out;
  for (const Member &M : Members) {
    Bytes = alignTo(Bytes, M.Align) + M.Size;
    Out.Order.emplace_back(M.Name);
  }
  Out.Bytes = alignTo(Bytes, Type.Align);
  return Out.Bytes < Type.Size ? std::optional(std::move(Out)) : std::nullopt;
}

} // namespace inmem::report
