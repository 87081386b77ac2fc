//===- Braille.h - A curve of two points a column -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_TEXT_BRAILLE_H
#define INMEM_REPORT_TEXT_BRAILLE_H

#include "report/text/Table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace inmem::report {

/// The area below a curve, as \p Rows lines of text, the highest first.
/// \param Values two for each column, left to right; nothing: not known
/// \param Top the value of the upper border
/// Without Unicode a column is its larger value, in characters `#`.
std::vector<std::string>
brailleArea(const std::vector<std::optional<uint64_t>> &Values, size_t Rows,
            uint64_t Top, const Style &S);

} // namespace inmem::report

#endif
