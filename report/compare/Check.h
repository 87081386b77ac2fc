//===- Check.h - Profiles against budgets -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passed and failed limits as values; CheckReport.h prints them.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_CHECK_H
#define INMEM_REPORT_CHECK_H

#include "report/compare/Budget.h"
#include "report/model/Profile.h"

#include <span>
#include <utility>

namespace inmem::report {

/// One run of the program, whole and in parts.
struct RunProfile {
  std::string Name; ///< the trace file's name
  Profile Whole;
  /// The phases that the budget names, by name. A phase that the run lacks is
  /// absent.
  std::map<std::string, Profile> Phases;
};

/// A site that contributes to a figure.
struct Contributor {
  std::string Type;     ///< as shown in reports
  SourceLocation Where; ///< the user's, if known
  uint64_t Value = 0;   ///< in the limit's dimension
  /// Its highest figure in earlier runs of a baseline.
  std::optional<uint64_t> Before;
};

/// Contributors to a figure.
struct Evidence {
  std::vector<Contributor> From; ///< largest first; with baseline: most changed
  std::string_view Figure;       ///< meaning of their values
};

/// A limit and a run's figure for it.
struct Verdict {
  enum class Kind {
    Held,
    Above,  ///< more than Max
    Below,  ///< less than Min
    Unknown ///< not measured: the check fails
  } Is = Kind::Held;
  const Limit *Of = nullptr;
  std::optional<uint64_t> Value; ///< absent if unknown or nothing to measure
  std::string Reason;            ///< why it is Unknown
  bool Matched = true;           ///< false if no type or site has that name
  /// The reason why a limit does not hold.
  std::vector<Contributor> From; ///< see Evidence
  std::string_view Figure;

  bool holds() const { return Is == Kind::Held; }
};

struct RunVerdicts {
  std::string Run;
  std::vector<Limit> Given;   ///< the budget's limits, with this run's names
  std::vector<Limit> Derived; ///< limits that follow from the baseline
  std::vector<Verdict> All;   ///< one per limit: first Given, then Derived
  std::vector<std::string> Notes; ///< notes of the run's profile
};

struct CheckResult {
  std::string File; ///< the budget's file; may be empty
  std::vector<RunVerdicts> Runs;

  size_t limits() const;
  size_t broken() const;
};

/// Judges each run independently. \param Baselines earlier runs. Their highest
/// figure counts, and Rules (Budget::Baseline or defaultBaseline()) define the
/// allowed increase \returns values that refer to With, which must outlive them
CheckResult check(const Budget &With, std::span<const RunProfile> Runs,
                  std::span<const Profile> Baselines = {},
                  std::span<const BaselineRule> Rules = {});

struct LearnOptions {
  Tolerance Slack;   ///< in addition to the spread of the runs
  size_t Types = 20; ///< the largest; the totals cover the rest
};

/// A budget that all Runs hold: the highest figure, plus the spread of the
/// runs. Lifetimes are limited only if the clock is `events`. Every line states
/// the figure of the runs.
std::string learnBudget(std::span<const RunProfile> Runs,
                        const LearnOptions &Options);

// Evidence.cpp: The sites that contribute to a figure.

/// The rows of a profile that a limit applies to.
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

/// The contributors to a figure of \p P, largest first, at the user's source
/// locations if they are known.
Evidence evidenceOf(const Profile &P, const ChosenRows &Rows, Metric What);

/// As above, compared with earlier runs: the largest changes come first.
/// Contributors that did not change in the limit's direction are left out,
/// unless none did. \param Fell the limit is a lower one
void compareEvidence(Evidence &New, std::span<const Evidence> Old, bool Fell);

} // namespace inmem::report

#endif
