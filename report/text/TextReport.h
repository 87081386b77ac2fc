//===- TextReport.h - A profile for a terminal ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Totals, a table, details of its first rows with bar histograms, live blocks,
// objects. Numbers are rounded; no line is wider than the style's width.
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

/// The text of a source file, or why it is not shown.
struct SourceText {
  std::optional<std::string> Text;
  std::string Missing;
};

struct TextOptions {
  Style Look;
  size_t Details = 3; ///< types with a section of their own
  size_t SitesEach = 5;
  bool Plain = false; ///< tables only
  /// printScreen() instead of all sections.
  bool OneScreen = false;
  std::optional<size_t> Rows; ///< of types on that screen
  /// Commands that lead on from there, the most useful first, with a
  /// description of each.
  std::vector<std::pair<std::string, std::string>> Next;
  /// Finds a source file that has not changed since it was compiled. Empty: no
  /// source is shown.
  std::function<SourceText(const std::string &)> Source;
};

std::string printText(const Profile &P, const View &V,
                      const TextOptions &Options);

// Screen.cpp: A report that fits one screen.

/// Findings, the largest types, the lines with most live bytes, and commands
/// that lead on: at most 49 lines at 80 columns, so that the prompt fits below.
std::string printScreen(const Profile &P, const View &V,
                        const TextOptions &Options);

} // namespace inmem::report

#endif
