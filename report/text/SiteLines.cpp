//===- SiteLines.cpp - Code that allocated, as lines of a table -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text/LocationText.h"

#include "report/model/LibraryCode.h"

namespace inmem::report {

std::string SiteLines::line(const SiteResult &Site) {
  CallersMissing |= P.Calls.Deepest == 0 && !isLibraryMemory(P, Site) &&
                    isCallerUnknown(Site);
  return siteText(S, Site);
}

std::vector<std::string>
SiteLines::each(const std::vector<const SiteResult *> &Sites) {
  std::vector<std::string> Lines;
  Lines.reserve(Sites.size());
  for (const SiteResult *Site : Sites)
    Lines.push_back(line(*Site));
  tellApart(Lines, P, Sites);
  return Lines;
}

} // namespace inmem::report
