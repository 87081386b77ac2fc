//===- FieldLayout.cpp - Sizes of classes with fewer fields ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/findings/RuleFacts.h"

#include "inmem/abi.h"

#include <algorithm>
#include <fmt/format.h>

namespace inmem::report {

uint64_t alignTo(uint64_t Bytes, uint64_t Align) {
  return (Bytes + Align - 1) / Align * Align;
}

uint64_t sizeWithout(const TypeResult &T,
                     const std::function<bool(const FieldResult &)> &Removed) {
  const uint64_t ClassAlign = std::max<uint64_t>(1, T.Align.value_or(1));
  uint64_t End = 0, Align = 1, Before = 0;
  for (const FieldResult &F : T.Fields) {
    if (F.Padding || Removed(F))
      continue;
    const uint64_t First = F.FirstBit / 8,
                   Bytes = (F.FirstBit % 8 + F.Bits + 7) / 8;
    const uint64_t All = First | Bytes | ClassAlign;
    uint64_t Own = All & (~All + 1);
    // A field of a base stays at its distance from the one before.
    if (F.Kind == INMEM_FIELD_BITFIELD || !F.Of.empty()) {
      End += First >= Before ? First - Before : 0;
      Own = 1;
      Align = ClassAlign;
    }
    End = alignTo(End, Own) + Bytes;
    Align = std::max(Align, Own);
    Before = First + Bytes;
  }
  return alignTo(End, std::min(Align, ClassAlign));
}

bool overlap(const std::vector<FieldResult> &Fields) {
  uint64_t End = 0;
  for (const FieldResult &F : Fields) {
    if (F.FirstBit < End)
      return true;
    End = F.FirstBit + F.Bits;
  }
  return false;
}

std::string listOf(const std::vector<const FieldResult *> &Fields) {
  constexpr size_t kMost = 3;
  const size_t Named = Fields.size() > kMost + 1 ? kMost : Fields.size();
  std::string Text;
  for (size_t I = 0; I < Named; ++I) {
    const bool Last = I > 0 && I + 1 == Fields.size();
    Text += (I == 0 ? "" : Last ? " and " : ", ") + Fields[I]->Name;
  }
  if (Named < Fields.size())
    Text += fmt::format(" and {} others", Fields.size() - Named);
  return Text;
}

} // namespace inmem::report
