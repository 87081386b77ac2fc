//===- LineMap.h - Lines of one text in another -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the lines of an older text in a newer one by their content. Leading and
// trailing blanks are ignored, so that an indented line, or one that ends in CR
// LF, still matches.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_BASE_LINEMAP_H
#define INMEM_REPORT_BASE_LINEMAP_H

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace inmem::report {

/// Lines without their ends, which are LF or CR LF. There is no empty line
/// after a final line end.
std::vector<std::string_view> linesOf(std::string_view Text);

/// An immutable map from lines of an old text to lines of a new one. Lines
/// count from 1.
class LineMap {
public:
  /// A line of the new text.
  struct Place {
    uint32_t Line = 0;
    bool Changed = false; ///< the line's text differs
    bool operator==(const Place &) const = default;
  };

  /// Takes time in proportion to the lengths of both, times their logarithm.
  /// The texts need not outlive the map.
  LineMap(std::string_view Old, std::string_view New);

  /// \returns nothing for a line that the old text does not have, or that was
  /// removed
  std::optional<Place> at(uint32_t OldLine) const;

private:
  std::vector<Place> Places; ///< by old line, from 0; Line 0: removed
};

} // namespace inmem::report

#endif
