//===- MappedTable.cpp - Memory that the program maps itself --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text/LocationText.h"
#include "report/text/Sections.h"

namespace inmem::report {

void mappedSection(Sheet &To, const ReportContext &In) {
  if (In.P.Mapped.empty())
    return;
  To.title("MAPPED BY THE PROGRAM");
  Table T;
  T.column({"at most"});
  T.column({"at the end"});
  T.column({"in all", true, false, 2});
  T.column({"calls"});
  T.column({"by", false, false, 3});
  T.column(locationColumn("where"));
  const size_t Most = someOf(In.V, In.P.Mapped.size());
  for (size_t I = 0; I < Most; ++I) {
    const MappedResult &R = In.P.Mapped[I];
    T.row({humanBytes(R.PeakBytes), humanBytes(R.liveBytes()),
           humanBytes(R.Bytes), humanCount(R.Calls), R.Call,
           R.Site.Where.Function.empty() ? "(caller not known)"
                                         : siteText(In.S, R.Site)});
  }
  To.table(T);
  To.more(In.P.Mapped.size() - Most, "caller");
}

} // namespace inmem::report
