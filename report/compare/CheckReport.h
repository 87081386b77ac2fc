//===- CheckReport.h - Results of a check, for people and machines --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_CHECKREPORT_H
#define INMEM_REPORT_CHECKREPORT_H

#include "report/compare/Check.h"
#include "report/text/Table.h"

#include <string>

namespace inmem::report {

// CheckFigures.cpp: Figures of checks in words.
//
// Shared by the printers of CheckReport.h. All functions are pure.

/// A figure in few characters.
std::string shortFigure(const Limit &L, uint64_t Value, bool Unicode);
/// A figure without loss: `1536 bytes (1.5 KiB)`.
std::string exactFigure(const Limit &L, uint64_t Value);
/// `f  a.cpp:3`.
std::string locationOf(const SourceLocation &P);
/// Distance of a figure from its limit; both known.
uint64_t distance(const Verdict &V);
/// The bound that does not hold.
uint64_t bound(const Verdict &V);
/// A contributor's change since before: `+3`.
std::string changeOf(const Limit &L, const Contributor &C, bool Unicode);
/// The source location of a limit, `budget.toml:3`; empty if it is not from a
/// file.
std::string where(const CheckResult &R, const Limit &L);

/// A site, and all limits that it breaks.
struct Cause {
  const Contributor *From = nullptr;   ///< null if no site is known
  std::vector<const Verdict *> Broken; ///< never empty, largest excess first
};
/// The causes of a run's broken limits, the largest excess first, then those
/// that cannot be judged. The result points into \p Of.
std::vector<Cause> causesOf(const RunVerdicts &Of);
/// The excess: in per cent of the limit, `+12 %`; from ten times the limit on,
/// as a multiple, `11 ×`; above a limit of 0, as a figure, `+3`. Empty if
/// unknown.
std::string excessOf(const Verdict &V, bool Unicode);

// CheckReport.cpp: Results of a check, for people and machines.

/// Rows of the table of broken limits.
enum class CheckRows {
  Causes, ///< sites, each with the limit that it exceeds most
  Keys    ///< limits, by their keys in the budget
};

/// A table of exceeded limits with the excess and the location; then a line
/// with the numbers.
std::string printCheckText(const CheckResult &R, const Style &S,
                           CheckRows Shown = CheckRows::Causes);
/// "inmem-check/1".
std::string printCheckJson(const CheckResult &R);
/// JUnit XML: a suite for each run, a case for each limit. \param SourceRoot
/// messages name a source location below it, relative to it
std::string printJUnit(const CheckResult &R, std::string_view SourceRoot);
/// SARIF 2.1.0: a result for each limit that does not hold, at the site of the
/// largest contributor. \param SourceRoot files below it are named relative to
/// it
std::string printSarif(const CheckResult &R, std::string_view SourceRoot);
/// Workflow commands of GitHub Actions, a line each.
std::string printGithub(const CheckResult &R, std::string_view SourceRoot);

} // namespace inmem::report

#endif
