//===- Findings.h - Changes that a profile suggests -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each rule covers one avoidable cost, estimates the savings of the usual
// remedy, and does not report small ones. docs/findings.md has each rule's
// formula and the cases in which it is wrong.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_FINDINGS_H
#define INMEM_REPORT_FINDINGS_H

#include "report/findings/RuleTable.h"
#include "report/model/Profile.h"

#include <span>
#include <string_view>

namespace inmem::report {

enum class Severity { Low, Medium, High };
/// `low`, `medium` or `high`.
std::string_view nameOf(Severity S);

/// The two scores of a finding. Traffic: blocks and bytes that the run
/// allocates. Footprint: bytes alive at the peak or at the end.
enum class Measure { Traffic, Footprint };
/// `traffic` or `footprint`.
std::string_view nameOf(Measure M);

struct Finding {
  RuleId Rule = {};
  std::optional<size_t> Type; ///< index into Profile::Types
  std::string Alias;          ///< the site's alias; may be empty
  bool OfObjects = false;     ///< about objects of the type, not its blocks
  /// Indices into Profile::Sites of the blocks in question; empty if unknown.
  std::vector<size_t> Sites;
  /// The nearest known source location in the user's code; empty if there is
  /// none.
  SourceLocation Where;
  /// Where is inside a library, because its caller was not recorded.
  bool CallerUnknown = false;
  uint64_t Bytes = 0, Allocations = 0; ///< what the finding is about
  /// Estimated savings, of all blocks and bytes that the run allocates; 0 if
  /// none, or unknown.
  uint64_t SavesBytes = 0, SavesAllocations = 0;
  /// Bytes of the peak that it saves; 0 if none, or unknown.
  uint64_t SavesPeakBytes = 0;
  /// Bytes of arrays that loops then skip; 0 if none, or unknown.
  uint64_t SavesStreamedBytes = 0;
  /// The capacities, in elements, at which half and 99 % of the containers end.
  struct FinalSize {
    uint64_t P50 = 0, P99 = 0;
  };
  std::optional<FinalSize> Ends;
  /// The basis of severity and order. The estimates above depend on lifetimes,
  /// which two runs time differently.
  struct Blocks {
    uint64_t Bytes = 0, Allocations = 0;
  };
  std::optional<Blocks> Judged;
  /// The number of elements that one reserve() for all containers should have
  /// to keep the promise; 0 if no single number does.
  uint64_t Reserve = 0;
  /// Members of the type that the finding concerns; empty if it does not
  /// concern members.
  std::vector<std::string> Fields;
  std::string Message; ///< what happens, with figures; no type or location
  std::string Advice;  ///< the recommended change
  /// The measure that severity and order depend on. A rule sets it to Footprint
  /// if Bytes are alive at the peak or at the end. Otherwise the larger score
  /// decides.
  Measure By = Measure::Traffic;
  /// The scores: the larger of the shares of all bytes and of all blocks that
  /// are at stake, and the share of the peak.
  double Traffic = 0, Footprint = 0;
  /// It is always reported, as `high`, even with small scores.
  bool Always = false;
  double Stake = 0; ///< the score of By

  Severity severity() const;
};

/// The subject of a finding, as reports name it: `std::string buffer`, a class
/// or, failing that, `memory`.
std::string aboutOf(const Profile &P, const Finding &F);

/// The findings of a profile, those with most at stake first, at most \p Most.
std::vector<Finding> findingsOf(const Profile &P, size_t Most);

/// One line with a finding's savings, or its subject, as shares of the
/// allocated total or of the peak: `saves 9 blocks = 90.0 % of all allocated`.
std::string savesText(const Profile &P, const Finding &F);

/// The reason why a profile has no finding, and a way to record that would show
/// more.
std::string whyNoFinding(const Profile &P);

// Together.cpp: Savings of several findings together.

struct Savings {
  uint64_t Blocks = 0, Bytes = 0; ///< out of all that the run allocates
  uint64_t PeakBytes = 0;
};

/// The savings of \p Some, as parts of \p P's allocations and peak. The blocks
/// of a site count once: if findings share sites, later ones save the rest.
Savings savedTogether(const Profile &P, std::span<const Finding> Some);

} // namespace inmem::report

#endif
