//===- InheritedBlocks.cpp - Blocks from before a fork --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/Accumulators.h"

#include <algorithm>

namespace inmem::report {

namespace {

Counts countsOf(const trace::RowTotals &R) {
  Counts C;
  C.Allocations = R.Allocations;
  C.AllocatedBytes = R.Bytes;
  C.Frees = std::min(R.Frees, R.Allocations);
  C.FreedBytes = std::min(R.FreedBytes, R.Bytes);
  C.LiveAllocations = C.Allocations - C.Frees;
  C.LiveBytes = C.AllocatedBytes - C.FreedBytes;
  return C;
}

} // namespace

void addInherited(const trace::Trace &T, std::optional<InheritedResult> &Out) {
  for (const trace::Entry &E : T.Entries) {
    if (!T.site(E.Site).inherited())
      continue;
    if (!Out)
      Out.emplace();
    const Counts C = countsOf(E.Totals);
    const trace::Type &Type = T.type(E.Type);
    std::optional<std::string> Name;
    if (Type.Index != 0)
      Name = std::string(Type.Name);
    const auto Found =
        std::find_if(Out->Types.begin(), Out->Types.end(),
                     [&](const auto &Row) { return Row.first == Name; });
    if (Found != Out->Types.end())
      Found->second.add(C);
    else
      Out->Types.emplace_back(Name, C);
    Out->Sum.add(C);
  }
  if (Out)
    std::sort(Out->Types.begin(), Out->Types.end(),
              [](const auto &A, const auto &B) {
                return A.second.AllocatedBytes != B.second.AllocatedBytes
                           ? A.second.AllocatedBytes > B.second.AllocatedBytes
                           : A.first < B.first;
              });
}

} // namespace inmem::report
