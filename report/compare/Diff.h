//===- Diff.h - Runs of two builds side by side ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Old and new are sets of runs; figures are medians over a set. Types match by
// spelling. Sites match by function, file, kind and type, not by line. A site
// in a library with a known caller has the caller's function and file, and its
// kind is left out. The remaining sites match by fewer properties if one
// function has equally many on both sides. Compiler-generated numbers and
// source locations (lambdas, clones, unnamed types) are ignored. Stacks match
// by type and by their functions, without lines, with recursion merged.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_DIFF_H
#define INMEM_REPORT_DIFF_H

#include "report/model/View.h"
#include "report/text/Table.h"

namespace inmem::report {

/// A figure over the runs of a set.
struct Spread {
  uint64_t Median = 0, Min = 0, Max = 0;

  /// Takes the higher of the two middle values of an even number.
  static Spread over(std::vector<uint64_t> Values);
  bool overlaps(const Spread &Other) const {
    return Min <= Other.Max && Other.Min <= Max;
  }
};

/// One side of a row, or of the totals.
struct DiffSide {
  bool There = false; ///< present in any run
  Counts Median;      ///< median of each figure
  Spread Blocks, Bytes, LiveBytes;
  std::optional<uint64_t> Peak; ///< median; for totals and types
  /// Sites: the location with its line. Stacks: one of them, outermost call
  /// first.
  std::vector<SourceLocation> Locations;
};

struct DiffRow {
  std::string Name;   ///< type or function; for stacks the innermost one
  std::string Alias;  ///< for display; may be empty
  std::string Type;   ///< for sites and stacks
  std::string Blocks; ///< for sites and stacks: the blocks' name in reports
  DiffSide Old, New;

  bool changed() const;
  /// The change does not exceed the differences between the runs of a set: the
  /// ranges of old and new overlap in all figures.
  bool noise() const;
};

struct Diff {
  size_t OldRuns = 0, NewRuns = 0;
  DiffSide Old, New; ///< totals
  /// Largest change of bytes first. Stacks come from traces that have them.
  std::vector<DiffRow> Types, Sites, Stacks;
  /// As Types, but with the blocks of one name merged, as all reports for
  /// people do. Alias is that name.
  std::vector<DiffRow> Named;
};

/// \pre neither is empty
Diff compare(std::span<const Profile> Old, std::span<const Profile> New);
Diff compare(const Profile &Old, const Profile &New);

/// A name without the parts that change when code around it does: `(lambda at
/// a.cpp:3:5)` becomes `(lambda at a.cpp)`, `main::$_0` becomes `main::$_`,
/// `f.llvm.42` becomes `f`.
std::string stableName(std::string_view Name);

/// The tables of a comparison.
inline constexpr By kDiffTables[] = {By::Type, By::Site, By::Stack};

/// Only changed rows. V selects the tables and the number of rows. Noise comes
/// last and is marked.
std::string printDiffText(const Diff &D, const View &V, const Style &S);
/// "inmem-diff/1". \param Named types by the names in reports, where several
/// rows may have one type
std::string printDiffJson(const Diff &D, const View &V, bool Named = false);
/// A self-contained page, whose tables sort by a click.
std::string printDiffHtml(const Diff &D, const View &V);

} // namespace inmem::report

#endif
