//===- Timeline.cpp - Live bytes of each type at each snapshot ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/OverTime.h"
#include "report/model/Phases.h"
#include "report/model/RowSums.h"
#include "trace/text/Names.h"

#include <algorithm>

namespace inmem::report {

using trace::Trace;

void addTimeline(const Trace &T,
                 const std::unordered_map<uint32_t, size_t> &SiteOfId,
                 Profile &Out) {
  const auto AddLive = [&](size_t At, const trace::Entry &E,
                           const trace::RowTotals &Totals) {
    const auto Site = SiteOfId.find(E.Site);
    if (Site == SiteOfId.end() || !T.site(E.Site).ofBlocks())
      return;
    RowSums Sums;
    Sums.Now = Totals;
    SiteResult &Of = Out.Sites[Site->second];
    const uint64_t Bytes = Sums.counts(T.Header).LiveBytes;
    for (std::vector<uint64_t> *Live :
         {&Out.Types[Of.Type].LiveBytesAt, &Of.LiveBytesAt}) {
      if (Bytes > 0)
        Live->resize(At + 1);
      if (At < Live->size())
        (*Live)[At] += Bytes;
    }
  };
  if (T.Header.Flags & trace::kFlagTimeInInstructions)
    Out.TimelineUnit = "instructions";
  else if (T.Header.Flags & trace::kFlagTimeInBytes)
    Out.TimelineUnit = "bytes";
  const auto Unknown = std::ranges::find_if(
      Out.Types, [](const TypeResult &Type) { return !Type.Name; });
  Out.Timeline.push_back({0, "start", ""});
  const std::vector<TimelineMark> Marks = marksOf(T);
  for (const trace::Snapshot &S : T.Snapshots) {
    const size_t At = Out.Timeline.size();
    const auto Known =
        std::find_if(Marks.begin(), Marks.end(),
                     [&](const TimelineMark &M) { return M.At == &S; });
    Out.Timeline.push_back(
        {nanosecondsAt(T, S),
         std::string(trace::nameOf(trace::kSnapshotNames,
                                   static_cast<uint64_t>(S.Header.Kind))),
         Known == Marks.end() ? std::string() : std::string(Known->Name)});
    if (S.Header.ResidentBytes)
      Out.Timeline.back().ResidentBytes = S.Header.ResidentBytes;
    // Another tool's trace may have the sum, but not the types.
    if ((T.Header.Flags & trace::kFlagNoTotals) && S.Header.Rows == 0 &&
        Unknown != Out.Types.end()) {
      Unknown->LiveBytesAt.resize(At + 1);
      Unknown->LiveBytesAt[At] =
          static_cast<uint64_t>(std::max<int64_t>(0, S.Header.LiveBytes));
    }
    for (uint32_t I = 0; I < S.Header.Rows; ++I) {
      const trace::Row R = T.snapshotRow(S, I);
      trace::RowTotals Totals;
      Totals.add(R);
      AddLive(At, {R.Site, R.Type, 0, {}}, Totals);
    }
  }
  // A part after the last snapshot that takes no time has no new information.
  const uint64_t Ran = durationOf(T.Header);
  if (Ran <= Out.Timeline.back().Ns)
    return;
  const size_t At = Out.Timeline.size();
  Out.Timeline.push_back({Ran, "end", ""});
  if (T.complete() && T.Header.ResidentBytes)
    Out.Timeline.back().ResidentBytes = T.Header.ResidentBytes;
  for (const trace::Entry &E : T.Entries)
    AddLive(At, E, E.Totals);
}

} // namespace inmem::report
