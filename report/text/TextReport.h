//===- TextReport.h - A profile for a terminal ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Totals, a table, details of its first rows with bar histograms, live blocks,
// objects. Numbers are rounded; lines are at most as wide as the style's width.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_TEXTREPORT_H
#define INMEM_REPORT_TEXTREPORT_H

#include "report/model/View.h"
#include "report/text/Table.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace inmem::report {

/// The text of a source file, or the reason why it is not shown.
struct SourceText {
  std::optional<std::string> Text;
  std::string Missing;
};

struct TextOptions {
  Style Look;
  size_t Details = 3; ///< types with their own section
  size_t SitesEach = 5;
  bool Plain = false; ///< tables only
  /// Use printScreen() instead of all sections.
  bool OneScreen = false;
  std::optional<size_t> Rows; ///< type rows on that screen
  /// Commands for more details, the most useful first, each with a description.
  std::vector<std::pair<std::string, std::string>> Next;
  /// Finds a source file that has not changed since it was compiled. If empty,
  /// sources are not shown.
  std::function<SourceText(const std::string &)> Source;
};

std::string printText(const Profile &P, const View &V,
                      const TextOptions &Options);

// Screen.cpp: A report that fits one screen.

/// Findings, the largest types, the lines with most live bytes, and commands
/// for more details: at most 49 lines at 80 columns, so that the prompt fits
/// below.
std::string printScreen(const Profile &P, const View &V,
                        const TextOptions &Options);

} // namespace inmem::report

#endif
