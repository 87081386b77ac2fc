//===- SiteLines.h - Code that allocated, as lines of a table -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_TEXT_SITELINES_H
#define INMEM_REPORT_TEXT_SITELINES_H

#include "report/text/LocationText.h"

#include <string>
#include <vector>

namespace inmem::report {

/// Writes the user's location nearest to a site, and notes whether it was in a
/// library for lack of call stacks.
class SiteLines {
public:
  SiteLines(const Profile &Of, const Style &Look) : P(Of), S(Look) {}

  std::string line(const SiteResult &Site);
  /// As line(), one for each of the sites of one table.
  std::vector<std::string> each(const std::vector<const SiteResult *> &Sites);

  /// True if a line named library code whose caller is not known.
  bool callersMissing() const { return CallersMissing; }

private:
  const Profile &P;
  const Style &S;
  bool CallersMissing = false;
};

} // namespace inmem::report

#endif
