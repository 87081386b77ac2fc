//===- SnapshotRows.h - The first rows of an analysis -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts shared by the text and JSON of a snapshot and of a comparison.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_HEAP_SNAPSHOTROWS_H
#define INMEM_HEAP_SNAPSHOTROWS_H

#include "report/base/Units.h"
#include "report/formats/Json.h"
#include "report/text/ApartNames.h"
#include "report/text/LocationText.h"
#include "report/text/Table.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace inmem::heap {

/// At most \p Top of them; 0 for all.
template <class T>
std::span<const T> firstOf(const std::vector<T> &All, size_t Top) {
  return std::span(All).first(Top ? std::min(Top, All.size()) : All.size());
}

/// An array of MakeOne(row) for at most \p Top rows; 0 for all.
template <class T, class Make>
report::Json arrayOf(const std::vector<T> &All, size_t Top, Make MakeOne) {
  report::Json Out = report::Json::array();
  for (const T &Row : firstOf(All, Top))
    Out.push_back(MakeOne(Row));
  return Out;
}

// Names are shortened to their distinguishing part before columns are dropped.
constexpr size_t kLeastOfName = 12, kLeastOfLocation = 16;

inline report::Table::Column nameColumn(const char *Title,
                                        unsigned Importance = 0,
                                        size_t Narrowest = kLeastOfName) {
  return {.Title = Title,
          .Right = false,
          .Flexible = true,
          .Importance = Importance,
          .Fit = report::shortenName,
          .Narrowest = Narrowest};
}
/// The column for results of locationCell().
inline report::Table::Column locationColumn(unsigned Importance) {
  return {.Title = "allocated by",
          .Right = false,
          .Flexible = true,
          .Importance = Importance,
          .Fit = report::fitLocation,
          .Narrowest = kLeastOfLocation,
          .Essential = report::withoutBracket,
          .Apart = report::apartLocations};
}
/// A column of words in descending order of importance.
inline report::Table::Column wordsColumn(const char *Title, unsigned Importance,
                                         size_t Narrowest) {
  return {.Title = Title,
          .Right = false,
          .Flexible = true,
          .Importance = Importance,
          .Fit = report::cutEnd,
          .Narrowest = Narrowest};
}

/// A table with a title, an empty line before it, and a line with the number of
/// rows (\p What) left out. Empty without rows.
template <class T, class Make>
std::string
titledTable(const report::Style &Look, size_t Top, const char *Title,
            std::vector<report::Table::Column> Columns,
            const std::vector<T> &All, Make MakeRow, const char *What) {
  if (All.empty())
    return {};
  report::Table Rows;
  for (report::Table::Column &C : Columns)
    Rows.column(std::move(C));
  const auto Shown = firstOf(All, Top);
  for (const T &Row : Shown)
    Rows.row(MakeRow(Row));
  std::string Out = '\n' + report::paint(Look, report::Paint::Bold, Title) +
                    '\n' + Rows.render(Look);
  if (Shown.size() < All.size())
    Out += report::moreRows(Look, All.size() - Shown.size(), What) + '\n';
  return Out;
}

} // namespace inmem::heap

#endif
