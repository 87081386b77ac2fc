//===- FieldLayout.h - Sizes of classes with fewer fields -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_FINDINGS_FIELDLAYOUT_H
#define INMEM_REPORT_FINDINGS_FIELDLAYOUT_H

#include "report/model/FieldResult.h"

#include <functional>

namespace inmem::report {

/// \p Bytes, rounded up to a multiple of \p Align.
uint64_t alignTo(uint64_t Bytes, uint64_t Align);

/// The size of a class without the fields that \p Removed says, the others in
/// their order. Each keeps the alignment that its offset and size show. 0: no
/// field is left.
uint64_t sizeWithout(const TypeResult &T,
                     const std::function<bool(const FieldResult &)> &Removed);

/// True if some field shares bytes with another one, as in unions.
bool overlap(const std::vector<FieldResult> &Fields);

/// `a`, `a and b`, `a, b and 3 others`
std::string listOf(const std::vector<const FieldResult *> &Fields);

} // namespace inmem::report

#endif
