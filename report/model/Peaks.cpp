//===- Peaks.cpp - The most that was alive at once ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/ProfileBuilder.h"

#include "inmem/abi.h"

#include <algorithm>

namespace inmem::report {

using trace::Trace;

void ProfileBuilder::addPeaks(const Trace &T) {
  // Samples say little about how high memory went.
  const bool Known =
      !T.Live.empty() &&
      !(T.Header.Flags & (trace::kFlagSampledBytes | trace::kFlagSampledEvery));
  if (T.Header.Flags & trace::kFlagNoPeak) {
    PeakKnown = TypePeaksKnown = false;
    return;
  }
  const auto Positive = [](int64_t Value) {
    return Value > 0 ? static_cast<uint64_t>(Value) : 0;
  };
  const bool Whole = Known || T.Header.PeakLiveBytes > 0;
  auto Peaks = T.peaksBetween(Shown.From, Shown.To);
  // An older trace says of a reset only what was highest before and after.
  if (!Peaks && !Options.inPhase())
    Peaks = T.peaksBetween(nullptr, nullptr);
  PeakKnown &=
      Whole && Peaks &&
      !(T.Header.Flags & (trace::kFlagSampledBytes | trace::kFlagSampledEvery));
  if (PeakKnown)
    Out.PeakLiveBytes =
        Out.PeakLiveBytes.value_or(0) + Positive(Peaks->Process);
  if (!Known || !Peaks || !Options.SiteGlobs.empty()) {
    TypePeaksKnown = false;
    return;
  }
  // Several indexes may be one type, and some have no row of their own.
  std::vector<bool> Has(Out.Types.size());
  for (const trace::Entry &E : T.Entries) {
    if (!T.site(E.Site).ofBlocks())
      continue;
    const size_t Type = typeOf(T, E.Type);
    if (Type >= Has.size())
      continue;
    const Counts &Sum = Out.Types[Type].Sum;
    Has[Type] = Sum.Allocations + Sum.CarriedAllocations > 0;
  }
  std::set<size_t> HavePeak;
  for (uint32_t I = 0; I < T.Live.size(); ++I) {
    if (I != 0 && T.type(I).Index == 0)
      continue; // Room for types to come.
    if (T.type(I).Flags & INMEM_TYPE_OBJECT)
      continue;
    const size_t Type = typeOf(T, I);
    const uint64_t Peak = Positive(Peaks->Types[I]);
    RecordedPeaks[Type] += Peak;
    // Types that read the same had their peaks at different times.
    if (Options.ByReadableName && Peak > 0 && !HavePeak.insert(Type).second)
      Retyped[Type];
    if (Type < Has.size() && Has[Type] && !Retyped.contains(Type))
      Out.Types[Type].PeakLiveBytes =
          Out.Types[Type].PeakLiveBytes.value_or(0) + Peak;
  }
}

/// Of types that a site was moved to or from: at most what the run recorded
/// under each name that their blocks had.
void ProfileBuilder::boundPeaks() {
  if (!TypePeaksKnown || !PeakKnown)
    return;
  for (const auto &[Type, From] : Retyped) {
    TypeResult &T = Out.Types[Type];
    uint64_t Most = RecordedPeaks[Type];
    for (const size_t Other : From)
      Most += RecordedPeaks[Other];
    Most = std::min(Most, T.Sum.AllocatedBytes + T.Sum.CarriedBytes);
    T.PeakAtMost =
        Out.PeakLiveBytes ? std::min(Most, *Out.PeakLiveBytes) : Most;
    T.PeakLiveBytes.reset();
  }
}

} // namespace inmem::report
