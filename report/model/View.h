//===- View.h - Rows of a profile to show, and their order ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The user's choices on the command line, except for the output format. All
// printers take a Profile and a View.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_VIEW_H
#define INMEM_REPORT_VIEW_H

#include "report/model/Blame.h"
#include "report/model/Profile.h"
#include "report/model/StackTree.h"

#include <string_view>

namespace inmem::report {

// Selection.cpp: Rows that the options select.

bool selects(const ProfileOptions &Options, const TypeResult &Type);
/// Blocks also match by their site's name: `std::string buffer` for `char`.
bool selects(const ProfileOptions &Options, const TypeResult &Type,
             const SiteResult &Site);
/// \p Index of the thread's rows
bool selectsThread(const ProfileOptions &Options, const trace::Trace &T,
                   uint32_t Index);
bool selectsThread(const ProfileOptions &Options,
                   const trace::LivedThread &Thread);

// View.cpp: rows of a profile in the view, and their order.

enum class By {
  Type,
  Site,
  Thread,
  Phase,
  Time,
  Stack,
  Blame,
  Frees,
  Finding,
  Cpu,
  Field
};

struct ByName {
  By What;
  std::string_view Word;
};
/// The words of --by.
std::span<const ByName> byNames();

/// Orders of rows. All but Name put the largest first.
enum class Sort {
  Bytes,
  Count,
  Live,
  Peak,
  Frees,
  Temporary,
  Size,
  Lifetime,
  Name,
  Self, ///< this and the next two sort sampled functions (--by cpu)
  Total,
  Interesting
};

struct SortName {
  Sort Order;
  std::string_view Word, Help;
};
/// The words of --sort.
std::span<const SortName> sortNames();

/// The reason why a part of a run has no samples.
inline constexpr std::string_view kSamplesOfWholeRun =
    "samples are of the whole run; --phase and --lived do not choose among "
    "them";

struct View {
  std::vector<By> Tables{By::Type};
  Sort Order = Sort::Bytes;
  size_t Top = 0;              ///< rows per table; 0: all
  bool Diagnostics = false;    ///< JSON: also how types were found
  bool SitesOfTypes = true;    ///< JSON: list each type's sites
  bool CellsOfFrees = true;    ///< JSON: --by frees also lists single cells
  bool HeapOnly = false;       ///< no types that were never allocated
  uint64_t MinBytes = 0;       ///< leave out rows that allocated less
  std::vector<uint64_t> Edges; ///< --buckets, in Profile::LifetimeUnit; sorted
  TreeOptions Stacks;
  BlameOptions Blame;
  /// The highest number of findings; none: a few in text, all in JSON and CSV.
  std::optional<size_t> Findings;

  bool shows(By What) const;
};

/// Copies of a class made at one location. Points into the profile.
struct CopyRow {
  size_t Type = 0; ///< index into Profile::Types
  const ObjectSite *Site = nullptr;
};
/// All rows, most bytes first.
std::vector<CopyRow> copyRows(const Profile &P);

/// Indexes of the rows of P in the view, in order.
std::vector<size_t> selectTypes(const Profile &P, const View &V);
/// A type, or its blocks that share a name.
struct TypeRow {
  const TypeResult *Type = nullptr;
  const KindResult *Kind = nullptr; ///< null: all blocks

  /// The name of these blocks, which is the same in each view.
  std::string name() const;
  const Counts &sum() const { return Kind ? Kind->Sum : Type->Sum; }
  const Lifetime &life() const { return Kind ? Kind->Life : Type->Life; }
  const std::vector<size_t> &sites() const {
    return Kind ? Kind->Sites : Type->Sites;
  }
  /// Alive when the process had the most live bytes.
  const std::optional<AtPeak> &aliveAtPeak() const {
    return Kind ? Kind->Peak : Type->Peak;
  }
  const std::vector<uint64_t> &liveBytesAt() const {
    return Kind ? Kind->LiveBytesAt : Type->LiveBytesAt;
  }
  /// Blocks that the C and C++ libraries keep for themselves.
  bool isLibrarys() const;
  /// True for blocks of \p Type (index into \p P's types) that \p Site
  /// allocated.
  bool has(const Profile &P, size_t Of, size_t Site) const;
  std::optional<uint64_t> peak() const;
  /// A bound if the peak is unknown.
  std::optional<uint64_t> peakAtMost() const;
};
/// All rows of a profile, in no particular order. They point into it.
std::vector<TypeRow> typeRowsOf(const Profile &P);
/// As selectTypes(), with a row for each kind of blocks, as reports show them.
std::vector<TypeRow> selectTypeRows(const Profile &P, const View &V);
std::vector<size_t> selectSites(const Profile &P, const View &V);
std::vector<size_t> selectThreads(const Profile &P, const View &V);

/// Kind and total of the bytes by site and stack: allocated or, if another tool
/// did not count that, alive at the peak, or at the end.
struct MainBytes {
  const char *Title;
  uint64_t Whole;
};
MainBytes mainBytes(const Profile &P);

// FreePairs.cpp: frees by allocating and freeing function.

/// A cell of the matrix with its two functions: the innermost frame that is
/// relevant to the view's blame options or, without such options, that is not
/// in the system's libraries. A function is empty if no frame is relevant, or
/// it is unknown.
struct FreePair {
  const FreeResult *Cell;
  SourceLocation Allocating, Freeing;
};
std::vector<FreePair> freePairs(const Profile &P, const View &V);

/// Sums over cells.
struct FreeTotals {
  uint64_t Frees = 0, Bytes = 0;
  void add(const FreeResult &R) {
    Frees += R.Frees;
    Bytes += R.FreedBytes;
  }
};

} // namespace inmem::report

#endif
