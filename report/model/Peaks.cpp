//===- Peaks.cpp - The most that was alive at any time --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/Peaks.h"

#include "inmem/abi.h"

#include <algorithm>

namespace inmem::report {

using trace::Trace;

static uint64_t positive(int64_t Value) {
  return Value > 0 ? static_cast<uint64_t>(Value) : 0;
}

void PeakSums::add(const TracePart &Part) {
  addWhole(Part);
  addParts(Part);
}

void PeakSums::addWhole(const TracePart &Part) {
  const Trace &T = Part.T;
  // Samples do not determine the highest memory.
  const bool Known =
      !T.Live.empty() &&
      !(T.Header.Flags & (trace::kFlagSampledBytes | trace::kFlagSampledEvery));
  if (T.Header.Flags & trace::kFlagNoPeak) {
    PeakKnown = TypePeaksKnown = false;
    return;
  }
  const bool Whole = Known || T.Header.PeakLiveBytes > 0;
  auto Peaks = T.peaksBetween(Part.Shown.From, Part.Shown.To);
  // An older trace has only the peaks before and after a reset.
  if (!Peaks && !Options.inPhase())
    Peaks = T.peaksBetween(nullptr, nullptr);
  PeakKnown &=
      Whole && Peaks &&
      !(T.Header.Flags & (trace::kFlagSampledBytes | trace::kFlagSampledEvery));
  if (PeakKnown)
    Out.PeakLiveBytes =
        Out.PeakLiveBytes.value_or(0) + positive(Peaks->Process);
  if (!Known || !Peaks || !Options.SiteGlobs.empty()) {
    TypePeaksKnown = false;
    return;
  }
  addTypes(T, *Peaks);
}

void PeakSums::addTypes(const Trace &T, const trace::PartPeaks &Peaks) {
  // Several indexes may denote one type, and some have no separate row.
  std::vector<bool> Has(Out.Types.size());
  for (const trace::Entry &E : T.Entries) {
    if (!T.site(E.Site).ofBlocks())
      continue;
    const size_t Type = Types.of(T, E.Type);
    if (Type >= Has.size())
      continue;
    const Counts &Sum = Out.Types[Type].Sum;
    Has[Type] = Sum.Allocations + Sum.CarriedAllocations > 0;
  }
  std::set<size_t> HavePeak;
  for (uint32_t I = 0; I < T.Live.size(); ++I) {
    if (I != 0 && T.type(I).Index == 0)
      continue; // reserved for future types
    if (T.type(I).Flags & INMEM_TYPE_OBJECT)
      continue;
    const size_t Type = Types.of(T, I);
    const uint64_t Peak = positive(Peaks.Types[I]);
    RecordedPeaks[Type] += Peak;
    if (Options.ByReadableName && Peak > 0 && !HavePeak.insert(Type).second)
      Merged.insert(Type);
    if (Type < Has.size() && Has[Type] && !Rules.retyped().contains(Type) &&
        !Merged.contains(Type))
      Out.Types[Type].PeakLiveBytes =
          Out.Types[Type].PeakLiveBytes.value_or(0) + Peak;
  }
}

/// Bounds for types that a site was moved to or from: at most the bytes that
/// the run recorded under each name of their blocks.
void PeakSums::bound() {
  if (!TypePeaksKnown || !PeakKnown)
    return;
  Typing::Moves Doubtful = Rules.retyped();
  for (const size_t Type : Merged)
    Doubtful[Type];
  for (const auto &[Type, From] : Doubtful) {
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

void PeakSums::finish() {
  bound();
  // A block that had this type first and another one later (a class's own
  // operator new) may have raised the peak: it is at most the bytes that ever
  // had the type.
  for (TypeResult &Type : Out.Types)
    if (Type.PeakLiveBytes)
      Type.PeakLiveBytes =
          std::max(std::min(*Type.PeakLiveBytes,
                            Type.Sum.AllocatedBytes + Type.Sum.CarriedBytes),
                   Type.Sum.LiveBytes);
  finishParts();
  if (!PeakKnown)
    Out.PeakLiveBytes.reset();
  else if (Out.PeakLiveBytes) // a process was killed while it counted a block
    Out.PeakLiveBytes =
        std::max(std::min(*Out.PeakLiveBytes,
                          Out.Totals.AllocatedBytes + Out.Totals.CarriedBytes),
                 Out.Totals.LiveBytes);
}

} // namespace inmem::report
