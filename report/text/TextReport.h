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

namespace inmem::report {

struct TextOptions {
  Style Look;
  size_t Details = 3; ///< types with a section of their own
  size_t SitesEach = 5;
  bool Plain = false; ///< tables only
};

std::string printText(const Profile &P, const View &V,
                      const TextOptions &Options);

/// A place on one line: `make  src/a.cpp:12`.
std::string placeText(const Style &S, const Place &P);

/// Such a line's function, and its file with the line; empty if there is none.
std::pair<std::string_view, std::string_view> splitPlace(std::string_view Text);
/// Shortens a file with its line to Width: directories first.
std::string fitPath(const Style &S, std::string_view Path, size_t Width);
/// Shortens such a line to Width: directories first, then the function.
std::string fitPlace(const Style &S, std::string_view Text, size_t Width);

/// What a type is called in text: its alias, or its simplified spelling.
std::string typeText(const Style &S, const TypeResult &T);
/// How the text report calls the class of counted objects.
std::string classText(const Style &S, const TypeResult &T);

} // namespace inmem::report

#endif
