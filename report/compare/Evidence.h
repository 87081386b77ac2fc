//===- Evidence.h - Which sites make up a figure --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_EVIDENCE_H
#define INMEM_REPORT_EVIDENCE_H

#include "report/compare/Check.h"

#include <span>
#include <utility>

namespace inmem::report {

/// The rows of a profile that a limit is about.
struct ChosenRows {
  std::vector<size_t> Types, Sites; ///< indexes into Profile::Types and Sites
  /// Constructions, each with the index of its class.
  std::vector<std::pair<size_t, const ObjectSite *>> Objects;
};

/// True if constructions at a site belong to a metric.
bool belongs(const ObjectSite &Site, Metric What);
uint64_t blockFigure(const Counts &C, Metric What);
std::optional<uint64_t> lifetimeFigure(const Lifetime &L, Metric What);
bool isOfObjects(Metric What);
bool isOfLifetimes(Metric What);

/// Who has a part in a figure of \p P, most first: user's places where they
/// are known.
Evidence evidenceOf(const Profile &P, const ChosenRows &Rows, Metric What);

/// As above, next to earlier runs: what changed most comes first, and what did
/// not change in the limit's direction is left out, unless nothing did.
/// \param Fell the limit is a lower one
void compareEvidence(Evidence &New, std::span<const Evidence> Old, bool Fell);

} // namespace inmem::report

#endif
