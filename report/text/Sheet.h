//===- Sheet.h - A report while it is written, line by line ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_TEXT_SHEET_H
#define INMEM_REPORT_TEXT_SHEET_H

#include "report/base/Units.h"
#include "report/text/Table.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace inmem::report {

/// Between two facts on one line.
inline std::string dot(const Style &S) { return S.Unicode ? " · " : " - "; }

/// Text that is at most as wide as its style allows.
class Sheet {
public:
  explicit Sheet(const Style &Look) : S(Look) {}

  void line(std::string_view Of);
  /// The title of a section, after an empty line.
  void title(std::string_view Of);
  /// Text wrapped at spaces; words longer than a line are cut. \param Lead is
  /// put into the first line's indentation
  void paragraph(std::string_view Of, size_t Indent, std::string_view Lead = {},
                 Paint Color = Paint::None);
  /// Parts joined by dots, over several lines if necessary.
  void wrapped(const std::vector<std::string> &Parts, unsigned Indent,
               Paint Color = Paint::None);
  void table(const Table &Of, unsigned Indent = 2);
  /// Adds the number of rows left out, if any.
  void more(size_t Rest, std::string_view What, std::string_view With = {},
            std::string_view Hint = kTopHint, unsigned Indent = 2);
  /// Adds lines that another function has laid out.
  void append(std::string_view Lines) { Text += Lines; }

  /// The number of lines so far.
  size_t lines() const {
    return static_cast<size_t>(std::count(Text.begin(), Text.end(), '\n'));
  }
  /// The number of bytes so far, which identifies a position.
  size_t size() const { return Text.size(); }
  std::string_view upTo(size_t Position) const {
    return std::string_view(Text).substr(0, Position);
  }
  /// Moves all text after \p Last to \p To, an earlier position.
  void moveBack(size_t Last, size_t To);
  std::string take() && { return std::move(Text); }

private:
  const Style &S;
  std::string Text;
};

} // namespace inmem::report

#endif
