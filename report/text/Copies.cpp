//===- Copies.cpp - Cost of copies ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text/LocationText.h"
#include "report/text/Sections.h"
#include "trace/text/Names.h"

#include <algorithm>

namespace inmem::report {

void copySection(Sheet &To, const ReportContext &In) {
  const std::vector<CopyRow> Rows = copyRows(In.P);
  if (Rows.empty())
    return;
  To.title("COPIES");
  Table T;
  T.column({"copies"});
  T.column({"bytes"});
  T.column({"class", false, false, 0, Paint::Bold});
  T.column({"into", true, false, 2});
  // Known only with objects=lifetime.
  const bool Inner = std::any_of(Rows.begin(), Rows.end(), [](auto &R) {
    return R.Site->InnerAllocations.has_value();
  });
  if (Inner) {
    T.column({"allocations"});
    T.column({"allocated"});
  }
  T.column(locationColumn("where"));
  const size_t Most = someOf(In.V, Rows.size());
  for (size_t I = 0; I < Most; ++I) {
    const TypeResult &Type = In.P.Types[Rows[I].Type];
    const ObjectSite &Site = *Rows[I].Site;
    std::vector<std::string> Cells = {
        humanCount(Site.Constructed),
        Type.Size ? humanBytes(Site.Constructed * *Type.Size)
                  : std::string("?"),
        shortenName(In.S, classText(In.S, Type), In.S.Width / 4),
        std::string(trace::nameOf(trace::kStorageNames, Site.Storage))};
    if (Inner) {
      Cells.push_back(Site.InnerAllocations ? humanCount(*Site.InnerAllocations)
                                            : "?");
      Cells.push_back(Site.InnerBytes ? humanBytes(*Site.InnerBytes) : "?");
    }
    Cells.push_back(locationText(In.S, Site.Where));
    T.row(std::move(Cells));
  }
  To.table(T);
  To.more(Rows.size() - Most, "place");
}

} // namespace inmem::report
