//===- LifetimeSum.cpp - A lifetime while traces are added ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/base/Arithmetic.h"
#include "report/model/RowSums.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace inmem::report {

void LifetimeSum::add(const LifetimeSum &Other) {
  Lifetimes.add(Other.Lifetimes);
  Timed += Other.Timed;
  Sum += Other.Sum;
  Weight += Other.Weight;
  Sizes.add(Other.Sizes);
  if (Other.Min)
    Min = Min ? std::min(*Min, *Other.Min) : *Other.Min;
  if (Other.Max)
    Max = Max ? std::max(*Max, *Other.Max) : *Other.Max;
}

void LifetimeSum::keep(const ProfileOptions::Range &Of) {
  Lifetimes = Lifetimes.within(Of.From, Of.To);
  Sizes = SizeGroups::of(Lifetimes, {});
  Timed = std::min(Timed, Lifetimes.count());
  Min = Max = std::nullopt;
  Sum = Weight = 0;
  for (const Bucket &B : Lifetimes.buckets()) {
    const auto Middle = static_cast<double>(std::midpoint(B.From, B.To));
    Sum += Middle * static_cast<double>(B.Count);
    Weight += static_cast<double>(B.Count);
  }
}

Lifetime LifetimeSum::finish(const Counts &To) {
  Lifetime Out;
  Out.Count = To.Frees;
  Out.Timed = Timed;
  if (Lifetimes.empty() || To.Frees == 0)
    return Out;
  // Blocks of sites without timed lifetimes are assumed to live as the others
  // do.
  if (Lifetimes.count() != To.Frees || Lifetimes.bytes() != To.FreedBytes)
    Lifetimes.scaleTo(To.Frees, To.FreedBytes);
  const uint64_t First = Lifetimes.buckets().front().From;
  const uint64_t Last = Lifetimes.buckets().back().To - 1;
  Out.Min = Min && *Min >= First && *Min <= Last ? *Min : First;
  Out.Max = Max && *Max <= Last && *Max >= *Out.Min ? *Max : Last;
  const auto Within = [&](uint64_t Value) {
    return std::clamp(Value, *Out.Min, *Out.Max);
  };
  Out.P50 = Within(Lifetimes.quantile(0.5));
  Out.P90 = Within(Lifetimes.quantile(0.9));
  Out.P99 = Within(Lifetimes.quantile(0.99));
  Out.Mean = Within(Weight > 0 ? rounded(Sum / Weight) : *Out.P50);
  Out.Lifetimes = std::move(Lifetimes);
  return Out;
}

static SizeGroups sizesOf(const trace::Buckets &Raw, uint64_t Frees) {
  double Blocks = 0;
  for (const trace::Buckets::Cell &Cell : Raw.Cells)
    Blocks += static_cast<double>(Cell.Count);
  const double Each = static_cast<double>(Frees) / Blocks;
  SizeGroups Out;
  for (const trace::Buckets::Cell &Cell : Raw.Cells)
    if (Cell.Count != 0)
      Out.add(static_cast<double>(Cell.Count) * Each,
              static_cast<double>(Cell.Bytes) * Each);
  return Out;
}

LifetimeSum lifetimeOf(const trace::FileHeader &H, const RowSums &Sums,
                       trace::Buckets Raw, const trace::Buckets *Before,
                       const Counts &C, const Grid &Of) {
  LifetimeSum Life;
  const trace::RowTotals &Now = Sums.Now;
  Life.Timed = std::min(minus(Now.Timed, Sums.Before.Timed), C.Frees);
  if (C.Frees == 0)
    return Life;
  if (Before)
    for (size_t I = 0; I < Raw.Cells.size(); ++I) {
      Raw.Cells[I].Count = minus(Raw.Cells[I].Count, Before->Cells[I].Count);
      Raw.Cells[I].Bytes = minus(Raw.Cells[I].Bytes, Before->Cells[I].Bytes);
    }
  Life.Lifetimes = Histogram::scaled(Raw, Of, C.Frees, C.FreedBytes);
  Life.Sizes = sizesOf(Raw, C.Frees);
  if (!(Life.Sizes.Bytes > 0)) // only counts are known
    Life.Sizes = SizeGroups::of(Life.Lifetimes, {});
  const uint64_t Weighted = minus(Now.WeightedTimed, Sums.Before.WeightedTimed);
  if (Weighted > 0) {
    // On average, the shift cut off half a tick.
    const double Ticks =
        static_cast<double>(minus(Now.SumTicks, Sums.Before.SumTicks)) /
            static_cast<double>(Weighted) +
        (H.TickShift > 0 ? 0.5 : 0);
    // One tick in the unit, exact enough for a mean.
    constexpr uint64_t kMany = uint64_t{1} << 40;
    const double PerTick =
        static_cast<double>(Of.fromTicks(kMany)) / static_cast<double>(kMany);
    Life.Weight = static_cast<double>(C.Frees);
    Life.Sum = Ticks * PerTick * Life.Weight;
  }
  if (Now.Timed > 0 && !Sums.Reset) { // extremes cannot be subtracted
    Life.Min = Of.fromTicks(Now.MinTicks);
    Life.Max = Of.fromTicks(Now.MaxTicks);
  }
  return Life;
}

} // namespace inmem::report
