//===- Packing.h - The size of a class without padding between members ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_PACKING_H
#define INMEM_REPORT_PACKING_H

#include "report/model/Profile.h"

#include <span>

namespace inmem::report {

/// The members of a class in the order that needs the fewest bytes: by
/// alignment, the largest first, after its bases. A member's alignment is taken
/// to be what its offset and size allow, so that Bytes is never too small.
/// None for unions, bit-fields, and classes whose members are not recorded or
/// that gain nothing.
std::optional<PackedResult> packingOf(const trace::Trace &T,
                                      const trace::Type &Type);

/// As above, for a class that is in no trace.
std::optional<PackedResult> packingOf(const trace::Type &Type,
                                      std::span<const trace::Field> Fields);

} // namespace inmem::report

#endif
