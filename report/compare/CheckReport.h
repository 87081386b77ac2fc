//===- CheckReport.h - Results of a check, for people and machines --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_CHECKREPORT_H
#define INMEM_REPORT_CHECKREPORT_H

#include "report/compare/Check.h"
#include "report/text/Table.h"

namespace inmem::report {

/// Rows of the table of broken limits.
enum class CheckRows {
  Causes, ///< sites, each with the limit that it exceeds most
  Keys    ///< limits, by their keys in the budget
};

/// A table of what broke, by how much, and where; then a line that counts.
std::string printCheckText(const CheckResult &R, const Style &S,
                           CheckRows Shown = CheckRows::Causes);
/// "inmem-check/1".
std::string printCheckJson(const CheckResult &R);
/// JUnit XML: a suite for each run, a case for each limit.
/// \param SourceRoot messages name a place below it, as named from there
std::string printJUnit(const CheckResult &R, std::string_view SourceRoot);
/// SARIF 2.1.0: a result for each limit that does not hold, at the site with
/// the largest part.
/// \param SourceRoot files below it are named from there
std::string printSarif(const CheckResult &R, std::string_view SourceRoot);
/// Workflow commands of GitHub Actions, a line each.
std::string printGithub(const CheckResult &R, std::string_view SourceRoot);

} // namespace inmem::report

#endif
