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
  if (Options.inPhase()) {
    const ThreadRows Rows(T, Shown);
    if (!Rows.known())
      return;
    InPart = Rows.sums([](const trace::MarkRow &M) { return M.Thread; },
                       [](const trace::MarkRow &M) { return M.Thread != 0; });
  }
  const uint64_t Factor = (T.Header.Flags & trace::kFlagSampledEvery)
                              ? std::max<uint64_t>(T.Header.Every, 1)
                              : 1;
  for (const auto &[Index, Thread] : T.Threads) {
    trace::RowTotals Sum = Thread.Totals;
    if (Options.inPhase()) {
      Sum = InPart[Index].second;
      Sum.subtract(InPart[Index].first);
    }
    if (Sum.Allocations == 0 && Sum.Frees == 0)
      continue;
    if (!Options.ThreadGlobs.empty() && !wantedThread(T, Index))
      continue;
    ThreadResult R;
    R.Pid = T.Header.Pid;
    R.Index = Index;
    R.Tid = Thread.Tid;
    R.Name = std::string(Thread.Name);
    const bool Weighted = T.Header.Flags & trace::kFlagSampledBytes;
    R.Allocations = Weighted ? rounded(Sum.WeightedAllocations)
                             : minus(Sum.Allocations, Sum.MovedOut) * Factor;
    R.AllocatedBytes = Weighted ? rounded(Sum.WeightedBytes)
                                : minus(Sum.Bytes, Sum.MovedOutBytes) * Factor;
    R.Frees = Weighted ? rounded(Sum.WeightedFrees) : Sum.Frees * Factor;
    R.FreedBytes =
        Weighted ? rounded(Sum.WeightedFreedBytes) : Sum.FreedBytes * Factor;
    R.Temporary = Sum.Temporary * Factor;
    Out.Threads.push_back(std::move(R));
  }
}

} // namespace inmem::report
