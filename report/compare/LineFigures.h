//===- LineFigures.h - Figures by line of source, and in its margin -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocations of each line of the user's source, in one run or in two sets of
// runs: the editor's hints and the margin of `inmem diff --annotate`.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_COMPARE_LINEFIGURES_H
#define INMEM_REPORT_COMPARE_LINEFIGURES_H

#include "report/compare/Diff.h"

#include <map>

namespace inmem::report {

/// One line of source. Sums over all sites on it, and over those with a caller
/// on it.
struct LineFigures {
  std::vector<size_t> Sites; ///< indexes into Profile::Sites, most bytes first
  Counts Sum;
  std::optional<uint64_t> P50; ///< of all lifetimes; absent if unknown
};

/// Keyed by file, with the path that the compiler got, and line. Sites without
/// a line and lines of system headers are left out.
using FileLines = std::map<std::string, std::map<uint32_t, LineFigures>>;
FileLines lineFiguresOf(const Profile &P);

/// A line in two sets of runs. A missing side has zeros.
struct LineChange {
  Counts Old, New;
  bool WasThere = false, IsThere = false;
  /// Names of blocks without duplicates, the largest change first.
  std::vector<std::string> Blocks;
  /// Other lines of the function have the same figures: their sites cannot be
  /// matched one by one across the runs.
  bool Shared = false;
};

/// Keyed by file and line of the new runs. A removed line has its old file and
/// line.
using FileChanges = std::map<std::string, std::map<uint32_t, LineChange>>;
FileChanges lineChangesOf(const Diff &D);

/// True if a trace's path may denote the absolute \p Path: they are equal, or
/// \p Path ends with it after a slash. A leading `./` is ignored.
bool mayBeFile(std::string_view InTrace, std::string_view Path);

// Annotate.cpp: A source file with figures in the margin.
//
// A file of the new runs for reviews without an editor, with both sides'
// figures next to each line that allocates.

/// A file to print.
struct AnnotatedFile {
  std::string Name; ///< used in the title
  std::string Text;
  std::map<uint32_t, LineChange> Lines;
  /// The number of lines around each line with figures; none for the whole
  /// file.
  std::optional<uint32_t> Context;
};

/// A table for a terminal, within the style's width.
std::string annotateText(const AnnotatedFile &Of, const Style &S);
/// Markdown: a table of the lines that allocate, then the source as a code
/// block.
std::string annotateMarkdown(const AnnotatedFile &Of);

} // namespace inmem::report

#endif
