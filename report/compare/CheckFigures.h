//===- CheckFigures.h - Figures of checks in words ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the printers of CheckReport.h. All functions are pure.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_CHECKFIGURES_H
#define INMEM_REPORT_CHECKFIGURES_H

#include "report/compare/Check.h"

#include <string>

namespace inmem::report {

/// A figure in few characters.
std::string shortFigure(const Limit &L, uint64_t Value, bool Unicode);
/// A figure without loss: `1536 bytes (1.5 KiB)`.
std::string exactFigure(const Limit &L, uint64_t Value);
/// `f  a.cpp:3`.
std::string locationOf(const SourceLocation &P);
/// Distance of a figure from its limit; both known.
uint64_t distance(const Verdict &V);
/// The limit that does not hold.
uint64_t bound(const Verdict &V);
/// A contributor's change since before: `+3`.
std::string changeOf(const Limit &L, const Contributor &C, bool Unicode);
/// Where a limit is: `budget.toml:3`; empty if it is not from a file.
std::string where(const CheckResult &R, const Limit &L);

/// A site, and all limits that it breaks.
struct Cause {
  const Contributor *From = nullptr;   ///< null: no site is known
  std::vector<const Verdict *> Broken; ///< never empty, largest excess first
};
/// The causes of a run's broken limits, the largest excess first, then those
/// that cannot be judged. Points into \p Of.
std::vector<Cause> causesOf(const RunVerdicts &Of);
/// Excess in per cent of the limit, `+12 %`; from ten times the limit as a
/// multiple of it, `11 ×`; above a limit of 0 as a figure, `+3`. Empty if it is
/// not known.
std::string excessOf(const Verdict &V, bool Unicode);

} // namespace inmem::report

#endif
