//===- Annotate.h - A source file with figures in the margin ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file of the new runs for reviews without an editor, with the figures of
// both sides next to each line that allocates.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_COMPARE_ANNOTATE_H
#define INMEM_REPORT_COMPARE_ANNOTATE_H

#include "report/compare/LineFigures.h"

namespace inmem::report {

/// A file to print.
struct AnnotatedFile {
  std::string Name; ///< for the title
  std::string Text;
  std::map<uint32_t, LineChange> Lines;
  /// Lines of neighbours around each line with figures; none: the whole file.
  std::optional<uint32_t> Context;
};

/// As a table for a terminal, no wider than the style says.
std::string annotateText(const AnnotatedFile &Of, const Style &S);
/// As Markdown: a table of the lines that allocate, then the source as a block
/// of code.
std::string annotateMarkdown(const AnnotatedFile &Of);

} // namespace inmem::report

#endif
