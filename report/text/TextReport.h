//===- TextReport.h - A profile for a terminal ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Totals, a table, details of its first rows with bar histograms, what is
// still alive, objects. Numbers are rounded; no line is wider than the style
// says.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_TEXTREPORT_H
#define INMEM_REPORT_TEXTREPORT_H

#include "report/model/View.h"
#include "report/text/Table.h"

#include <functional>
#include <optional>
#include <string>

namespace inmem::report {

struct TextOptions {
  Style Look;
  size_t Details = 3; ///< types with a section of their own
  size_t SitesEach = 5;
  bool Plain = false; ///< tables only
  /// The text of a source file that has not changed since it was compiled;
  /// none: its lines are not shown. Empty: no file's are.
  std::function<std::optional<std::string>(const std::string &)> Source;
};

std::string printText(const Profile &P, const View &V,
                      const TextOptions &Options);

} // namespace inmem::report

#endif
