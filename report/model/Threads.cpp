//===- Threads.cpp - What single threads did ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/Arithmetic.h"
#include "report/model/Match.h"
#include "report/model/PartRows.h"
#include "report/model/ProfileBuilder.h"

namespace inmem::report {

using trace::Trace;

bool ProfileBuilder::wantedThread(const Trace &T, uint32_t Index) const {
  const auto Known = T.Threads.find(Index);
  return std::any_of(Options.ThreadGlobs.begin(), Options.ThreadGlobs.end(),
                     [&](const std::string &Glob) {
                       return matchesThread(
                           Glob, Index,
                           Known == T.Threads.end() ? nullptr : &Known->second);
                     });
}

trace::RowTotals ProfileBuilder::totalsOfThreads(const Trace &T,
                                                 const trace::Entry &E,
                                                 trace::Buckets &Raw) const {
  trace::RowTotals Sum;
  for (uint32_t I = E.FirstRow; I != trace::RowRef::kNone; I = T.Rows[I].Next) {
    const trace::RowRef &Ref = T.Rows[I];
    if (!wantedThread(T, Ref.Thread))
      continue;
    Sum.add(T.row(Ref));
    T.addBuckets(Ref, Raw);
  }
  return Sum;
}

void ProfileBuilder::addThreads(const Trace &T) {
  if (Options.Lived)
    return; // Known of all blocks only.
  std::map<uint32_t, std::pair<trace::RowTotals, trace::RowTotals>> InPart;
  if (ByThread)
    InPart =
        ByThread->sums([](const trace::MarkRow &M) { return M.Thread; },
                       [](const trace::MarkRow &M) { return M.Thread != 0; });
  else if (Shown.From || Shown.To)
    return Options.inPhase() || !Options.ThreadGlobs.empty()
               ? void()
               : Notes.add(T, "what single threads did since the last reset is "
                              "not known");
  for (const auto &[Index, Thread] : T.Threads) {
    RowSums Sums;
    Sums.SomeThreads = true;
    if (ByThread)
      std::tie(Sums.Before, Sums.Now) = InPart[Index];
    else
      Sums.Now = Thread.Totals;
    const Counts C = Sums.counts(T.Header);
    if ((C.Allocations == 0 && C.Frees == 0) ||
        (!Options.ThreadGlobs.empty() && !wantedThread(T, Index)))
      continue;
    ThreadResult R;
    R.Pid = T.Header.Pid;
    R.Index = Index;
    R.Tid = Thread.Tid;
    R.Name = std::string(Thread.Name);
    R.Allocations = C.Allocations;
    R.AllocatedBytes = C.AllocatedBytes;
    R.Frees = C.Frees;
    R.FreedBytes = C.FreedBytes;
    R.Temporary = C.Temporary;
    Out.Threads.push_back(std::move(R));
  }
}

} // namespace inmem::report
