//===- Diff.h - Two profiles side by side ---------------------------------===//
//
// Types match by spelling; sites by function, file, kind and type, not by
// line, so that moved code matches itself.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_DIFF_H
#define INMEM_REPORT_DIFF_H

#include "Table.h"
#include "View.h"

namespace inmem::report {

struct DiffRow {
  std::string Name;  ///< type, or function and file
  std::string Alias; ///< for display; may be empty
  std::string Type;  ///< of sites
  bool InOld = false, InNew = false;
  Counts Old, New;
  std::optional<uint64_t> OldP50, NewP50; ///< types only
};

struct Diff {
  Unit LifeUnit = Unit::Nanoseconds;
  Counts Old, New;
  std::optional<uint64_t> OldPeak, NewPeak;
  std::vector<DiffRow> Types, Sites; ///< largest change of bytes first
};

Diff compare(const Profile &Old, const Profile &New);

/// Only rows that changed; V gives the tables and the number of rows.
std::string printDiffText(const Diff &D, const View &V, const Style &S);
/// "inmem-diff/1".
std::string printDiffJson(const Diff &D, const View &V);

} // namespace inmem::report

#endif
