//===- PeakParts.cpp - Live blocks at the process's peak ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The trace has all rows at two moments around the peak. Counts in a row only
// grow. So a site's bytes at the peak have two bounds. The lower one is the
// bytes allocated before the peak minus the bytes freed by the moment after.
// The upper one is the bytes allocated by the moment after minus the bytes
// freed before. All sites together had the peak, which narrows the bounds.
//
//===----------------------------------------------------------------------===//
#include "report/model/Peaks.h"

#include <algorithm>

namespace inmem::report {

using trace::PeakNote;
using trace::PeakRow;
using trace::Trace;

void AtPeak::add(const AtPeak &Other) {
  BytesAtLeast += Other.BytesAtLeast;
  BytesAtMost += Other.BytesAtMost;
  BlocksAtLeast += Other.BlocksAtLeast;
  BlocksAtMost += Other.BlocksAtMost;
}

namespace {

/// The notes before and after the peak.
struct Window {
  const PeakNote *Before = nullptr; ///< null: the run's start
  const PeakNote *After = nullptr;  ///< null: the run's end
};

Window windowOf(const Trace &T, uint64_t Peak) {
  Window Out;
  for (const PeakNote &N : T.PeakNotes) {
    if (N.Rising ? N.PeakLiveBytes <= Peak : N.PeakLiveBytes < Peak)
      Out = {&N, nullptr};
    else if (!Out.After && !N.Rising && N.PeakLiveBytes == Peak)
      Out.After = &N;
  }
  return Out;
}

/// A site's counts at a moment.
struct Moment {
  uint64_t Allocations = 0, Bytes = 0, Frees = 0, FreedBytes = 0;

  static Moment of(const PeakRow &R) {
    return {R.Allocations, R.Bytes, R.Frees, R.FreedBytes};
  }
  void add(const trace::RowTotals &R) {
    Allocations += R.Allocations;
    Bytes += R.Bytes;
    Frees += R.Frees + R.MovedOut;
    FreedBytes += R.FreedBytes + R.MovedOutBytes;
  }
};

uint64_t lessOrNone(uint64_t A, uint64_t B) { return A > B ? A - B : 0; }

/// Indexed by site: its counts at the start and the end of the window.
class Moments {
public:
  Moments(const Trace &T, Window Of) : All(T.Sites.size()) {
    for (const trace::Entry &E : T.Entries)
      if (E.Site < All.size() && T.site(E.Site).ofBlocks()) {
        Has.push_back(E.Site);
        if (!Of.After)
          All[E.Site].second.add(E.Totals);
      }
    Has.erase(std::ranges::unique(Has).begin(), Has.end());
    if (Of.Before)
      for (const PeakRow &R : T.rowsOf(*Of.Before))
        if (R.Site < All.size())
          All[R.Site].first = Moment::of(R);
    if (Of.After)
      for (const PeakRow &R : T.rowsOf(*Of.After))
        if (R.Site < All.size())
          All[R.Site].second = Moment::of(R);
  }
  const std::vector<uint32_t> &sites() const { return Has; }
  /// A site's live blocks at the end of the window.
  AtPeak atEnd(uint32_t Site) const {
    const Moment &At = All[Site].second;
    const uint64_t Bytes = lessOrNone(At.Bytes, At.FreedBytes);
    const uint64_t Blocks = lessOrNone(At.Allocations, At.Frees);
    return {Bytes, Bytes, Blocks, Blocks};
  }
  AtPeak within(uint32_t Site) const {
    const auto &[First, Last] = All[Site];
    return {lessOrNone(First.Bytes, Last.FreedBytes),
            lessOrNone(Last.Bytes, First.FreedBytes),
            lessOrNone(First.Allocations, Last.Frees),
            lessOrNone(Last.Allocations, First.Frees)};
  }

private:
  std::vector<std::pair<Moment, Moment>> All;
  std::vector<uint32_t> Has;
};

/// A row of the report, with its sites.
struct Group {
  AtPeak Sum;
  bool Singles = true; ///< all are single objects

  /// \param All the bounds of all rows, which together have \p Peak
  void narrow(const AtPeak &All, uint64_t Peak, std::optional<uint64_t> Size) {
    if (All.BytesAtLeast > Peak || All.BytesAtMost < Peak)
      return; // other threads counted during the note
    const AtPeak Wide = Sum;
    Sum.BytesAtMost = std::min(Wide.BytesAtMost,
                               Peak - (All.BytesAtLeast - Wide.BytesAtLeast));
    Sum.BytesAtLeast =
        std::max(Wide.BytesAtLeast,
                 lessOrNone(Peak, All.BytesAtMost - Wide.BytesAtMost));
    const auto Bytes = Sum.bytes();
    if (Bytes && *Bytes == Wide.BytesAtMost)
      Sum.BlocksAtLeast = Wide.BlocksAtMost; // nothing was freed
    else if (Bytes && *Bytes == Wide.BytesAtLeast)
      Sum.BlocksAtMost = Wide.BlocksAtLeast; // nothing was allocated
    if (Singles && Size.value_or(0) > 0) {
      Sum.BlocksAtLeast = std::max(Sum.BlocksAtLeast, Sum.BytesAtLeast / *Size);
      Sum.BlocksAtMost = std::min(Sum.BlocksAtMost, Sum.BytesAtMost / *Size);
    }
  }
};

void addTo(std::optional<AtPeak> &To, const Group &G) {
  if (!To)
    To.emplace();
  To->add(G.Sum);
}

} // namespace

void PeakSums::addParts(const TracePart &Part) {
  const Trace &T = Part.T;
  const Interval &Shown = Part.Shown;
  const auto &SiteOfId = Blocks.siteOfId();
  const auto Peaks = T.peaksBetween(Shown.From, Shown.To);
  if (!PeakKnown || !Peaks || Peaks->Process <= 0 || T.PeakNotes.empty() ||
      Options.inPart()) {
    PeakPartsKnown = false;
    return;
  }
  const auto Peak = static_cast<uint64_t>(Peaks->Process);
  const Window Near = windowOf(T, Peak);
  if (Shown.From && !Near.Before) { // rows at the reset are not noted
    PeakPartsKnown = false;
    return;
  }
  const Moments Rows(T, Near);
  AtPeak AtEnd, All;
  for (const uint32_t Site : Rows.sites()) {
    AtEnd.add(Rows.atEnd(Site));
    All.add(Rows.within(Site));
  }
  // The moment after the peak may be the peak itself.
  const bool Exact = AtEnd.BytesAtMost == Peak;
  if (Exact)
    All = AtEnd;
  std::map<size_t, Group> OfSites, OfTypes;
  for (const uint32_t Site : Rows.sites()) {
    const auto Row = SiteOfId.find(Site);
    if (Row == SiteOfId.end())
      continue;
    const AtPeak Had = Exact ? Rows.atEnd(Site) : Rows.within(Site);
    for (Group *G :
         {&OfSites[Row->second], &OfTypes[Out.Sites[Row->second].Type]}) {
      G->Sum.add(Had);
      G->Singles &= T.site(Site).ofSingles();
    }
  }
  for (auto &[I, G] : OfSites) {
    G.narrow(All, Peak, Out.Types[Out.Sites[I].Type].Size);
    addTo(Out.Sites[I].Peak, G);
  }
  for (auto &[I, G] : OfTypes) {
    G.narrow(All, Peak, Out.Types[I].Size);
    addTo(Out.Types[I].Peak, G);
  }
}

/// A type has at most its own peak, and so does each of its sites.
void PeakSums::finishParts() {
  const auto Limit = [](AtPeak &To, uint64_t Bytes) {
    To.BytesAtMost = std::max(std::min(To.BytesAtMost, Bytes), To.BytesAtLeast);
  };
  for (TypeResult &T : Out.Types)
    if (!PeakPartsKnown)
      T.Peak.reset();
    else if (const auto Most = T.PeakLiveBytes ? T.PeakLiveBytes : T.PeakAtMost;
             T.Peak && Most)
      Limit(*T.Peak, *Most);
  for (SiteResult &S : Out.Sites)
    if (!PeakPartsKnown)
      S.Peak.reset();
    else if (const auto &OfType = Out.Types[S.Type].Peak; S.Peak && OfType)
      Limit(*S.Peak, OfType->BytesAtMost);
}

} // namespace inmem::report
