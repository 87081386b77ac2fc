//===- FreeCounts.cpp - Frees by allocating and freeing code --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/base/Arithmetic.h"
#include "report/model/Accumulators.h"
#include "report/model/View.h"

namespace inmem::report {

using trace::Trace;

void FreeSums::add(const TracePart &Part, const BlockSums &Blocks) {
  const Trace &T = Part.T;
  const Interval &Shown = Part.Shown;
  const auto &SiteOfId = Blocks.siteOfId();
  if (T.Frees.empty() || Options.Lived)
    return;
  // Rows of single threads cover the whole run, unless a part was selected.
  const bool Some = !Options.ThreadGlobs.empty();
  const bool Whole = Some && !Options.inPhase();
  const uint64_t From = !Whole && Shown.From ? Shown.From->Sequence : 0;
  const uint64_t To = !Whole && Shown.To ? Shown.To->Sequence : ~uint64_t{0};
  const auto Name = [&](uint32_t Index) {
    ThreadName N{T.Header.Pid, Index, 0, {}};
    if (const auto At = T.Threads.find(Index); At != T.Threads.end()) {
      N.Tid = At->second.Tid;
      N.Name = std::string(At->second.Name);
    }
    return N;
  };
  const auto Add = [&](uint32_t SiteId, uint32_t Stack, ThreadName By,
                       ThreadName Of, uint64_t Frees, uint64_t Bytes) {
    const size_t Site = SiteOfId.at(SiteId);
    FreeResult R;
    R.Type = Out.Sites[Site].Type;
    R.Site = Site;
    if (T.site(SiteId).Stack != 0)
      R.Allocating = Calls.framesOf(T, T.site(SiteId), Out.Sites[Site].Chain);
    if (Stack != 0)
      R.Freeing = Calls.framesOf(T, Stack);
    R.AllocatedIn = std::move(Of);
    R.FreedIn = std::move(By);
    R.Frees = Frees;
    R.FreedBytes = Bytes;
    Out.Frees.push_back(std::move(R));
  };
  const auto Wanted = [&](const trace::Freed &F) {
    return SiteOfId.contains(F.Cell.Site) && F.Cell.Since >= From &&
           F.Cell.Since < To && F.Cell.Frees > 0 &&
           (!Some || selectsThread(Options, T, F.Thread));
  };
  /// Frees in the report, and recorded frees.
  std::map<uint32_t, std::pair<Counts, Counts>> FreesOfId;
  for (const auto &[Site, C] : Blocks.countsOfId())
    FreesOfId[Site].first = C;
  for (const trace::Freed &F : T.Frees)
    if (Wanted(F)) {
      FreesOfId[F.Cell.Site].second.Frees += F.Cell.Frees;
      FreesOfId[F.Cell.Site].second.FreedBytes += F.Cell.Bytes;
    }
  // Sampled blocks represent others.
  const auto Scaled = [](uint64_t Value, uint64_t All, uint64_t Of) {
    return All == Of || Of == 0
               ? Value
               : rounded(static_cast<double>(Value) * static_cast<double>(All) /
                         static_cast<double>(Of));
  };
  const bool Sampled =
      T.Header.Flags & (trace::kFlagSampledBytes | trace::kFlagSampledEvery);
  for (const trace::Freed &F : T.Frees) {
    if (!Wanted(F))
      continue;
    uint64_t Frees = F.Cell.Frees, Bytes = F.Cell.Bytes;
    if (Sampled) {
      const auto &[All, Of] = FreesOfId[F.Cell.Site];
      Frees = Scaled(Frees, All.Frees, Of.Frees);
      Bytes = Scaled(Bytes, All.FreedBytes, Of.FreedBytes);
    }
    Add(F.Cell.Site, F.Cell.Stack, Name(F.Thread), Name(F.Cell.Thread), Frees,
        Bytes);
  }
  // Frees that did not fit into the table.
  for (const auto &[Site, Counted] : FreesOfId)
    if (const auto &[All, Of] = Counted; !Sampled && All.Frees > Of.Frees)
      Add(Site, 0, Name(0), Name(0), All.Frees - Of.Frees,
          minus(All.FreedBytes, Of.FreedBytes));
}

} // namespace inmem::report
