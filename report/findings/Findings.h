//===- Findings.h - Changes that a profile suggests -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each rule looks at one cost that programmers can avoid, estimates what the
// usual remedy saves, and stays silent where that is little. docs/findings.md
// has each rule's formula and when it is wrong.
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
/// allocates. Footprint: bytes of the peak, or alive at the end.
enum class Measure { Traffic, Footprint };
/// `traffic` or `footprint`.
std::string_view nameOf(Measure M);

struct Finding {
  RuleId Rule = {};
  std::optional<size_t> Type; ///< index into Profile::Types
  std::string Alias;          ///< of the site it is about; may be empty
  bool OfObjects = false;     ///< about objects of the type, not its blocks
  /// Indices into Profile::Sites of the blocks it is about; empty: not known.
  std::vector<size_t> Sites;
  /// The nearest place of the user's own code that is known; empty: none.
  SourceLocation Where;
  /// Where is inside a library: its caller was not recorded.
  bool CallerUnknown = false;
  uint64_t Bytes = 0, Allocations = 0; ///< what the finding is about
  /// Estimated savings, of all blocks and bytes that the run allocates; 0:
  /// none, or not known.
  uint64_t SavesBytes = 0, SavesAllocations = 0;
  /// Bytes of the peak that it saves; 0: none of it, or not known.
  uint64_t SavesPeakBytes = 0;
  /// Bytes of arrays that loops then do not pass over; 0: none, or not known.
  uint64_t SavesStreamedBytes = 0;
  /// Room, in elements, with which half and 99 % of the containers end.
  struct FinalSize {
    uint64_t P50 = 0, P99 = 0;
  };
  std::optional<FinalSize> Ends;
  /// The basis of severity and order, instead of the estimates above, which
  /// rest on lifetimes: two runs time them differently.
  struct Blocks {
    uint64_t Bytes = 0, Allocations = 0;
  };
  std::optional<Blocks> Judged;
  /// Elements that one reserve() for all containers should name, with which the
  /// promise is kept; 0: no one size does.
  uint64_t Reserve = 0;
  /// Members of the type that it is about; empty: it is not about members.
  std::vector<std::string> Fields;
  std::string Message; ///< what happens, with figures; no type, no place
  std::string Advice;  ///< advice
  /// The measure that severity and order rest on. A rule sets it to Footprint
  /// if Bytes are alive, at the peak or at the end; else the larger score
  /// decides.
  Measure By = Measure::Traffic;
  /// The scores: the larger of the parts of all bytes and of all blocks that
  /// are at stake, and the part of the peak.
  double Traffic = 0, Footprint = 0;
  /// It is worth a line, and `high`, however small its scores are.
  bool Always = false;
  double Stake = 0; ///< the score of By

  Severity severity() const;
};

/// The subject of a finding, as reports name it: `std::string buffer`, a class,
/// or else `memory`.
std::string aboutOf(const Profile &P, const Finding &F);

/// The findings of a profile, the most at stake first, at most \p Most.
std::vector<Finding> findingsOf(const Profile &P, size_t Most);

/// One line with a finding's savings, or its subject, as shares of all that is
/// allocated or of the peak: `saves 9 blocks = 90.0 % of all allocated`.
std::string savesText(const Profile &P, const Finding &F);

/// Why a profile has no finding, and which recording would show more.
std::string whyNoFinding(const Profile &P);

// Together.cpp: Savings of several findings together.

struct Savings {
  uint64_t Blocks = 0, Bytes = 0; ///< of all that the run allocates
  uint64_t PeakBytes = 0;
};

/// Savings of \p Some, of \p P's allocations and peak. The blocks of a site
/// count once: of findings that share sites, later ones save the rest.
Savings savedTogether(const Profile &P, std::span<const Finding> Some);

} // namespace inmem::report

#endif
