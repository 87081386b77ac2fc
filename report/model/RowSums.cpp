//===- RowSums.cpp - Counts of a site, with sampling undone ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/RowSums.h"
#include "report/base/Arithmetic.h"

#include <algorithm>
#include <cmath>

namespace inmem::report {

SizeGroups SizeGroups::of(const Histogram &Lifetimes, const Counts &C) {
  SizeGroups Out;
  for (const Bucket &B : Lifetimes.buckets())
    Out.add(static_cast<double>(B.Count), static_cast<double>(B.Bytes));
  Out.addLive(C);
  return Out;
}

void SizeGroups::addLive(const Counts &C) {
  if (Groups > 0 || C.Frees == 0)
    add(static_cast<double>(C.LiveAllocations),
        static_cast<double>(C.LiveBytes));
}

/// Adds a group to others of its size.
static void addClass(std::vector<SizeGroups::Class> &To,
                     const SizeGroups::Class &One) {
  constexpr double kPerDoubling = 8;
  const auto BytesEach = [](const SizeGroups::Class &C) {
    return std::max(C.Bytes, 1.0) / C.Blocks;
  };
  const auto Key = [&](const SizeGroups::Class &C) {
    return std::round(kPerDoubling * std::log2(BytesEach(C)));
  };
  // Blocks of a site usually have one size, so that no logarithm is needed.
  auto At = std::ranges::find(To, BytesEach(One), BytesEach);
  if (At == To.end()) {
    At = std::ranges::lower_bound(To, Key(One), {}, Key);
    if (At == To.end() || Key(*At) != Key(One)) {
      To.insert(At, One);
      return;
    }
  }
  At->Blocks += One.Blocks;
  At->Bytes += One.Bytes;
}

void SizeGroups::add(double Count, double Size) {
  if (!(Count > 0))
    return;
  addClass(Classes, {Count, Size});
  ++Groups;
  Blocks += Count;
  Bytes += Size;
  Squares += Size * Size / Count;
}

void SizeGroups::add(const SizeGroups &Other) {
  Groups += Other.Groups;
  Blocks += Other.Blocks;
  Bytes += Other.Bytes;
  Squares += Other.Squares;
  for (const Class &C : Other.Classes)
    addClass(Classes, C);
}

std::optional<double> SizeGroups::spread() const {
  if (!(Bytes > 0))
    return std::nullopt;
  return Squares * Blocks / (Bytes * Bytes) - 1;
}

bool SizeGroups::differ() const {
  constexpr double kRounding = 1e-3;
  return spread().value_or(0) > Groups / Blocks + kRounding;
}

void Counts::add(const Counts &Other) {
  Allocations += Other.Allocations;
  AllocatedBytes += Other.AllocatedBytes;
  Frees += Other.Frees;
  FreedBytes += Other.FreedBytes;
  LiveAllocations += Other.LiveAllocations;
  LiveBytes += Other.LiveBytes;
  Temporary += Other.Temporary;
  Reallocations += Other.Reallocations;
  CarriedAllocations += Other.CarriedAllocations;
  CarriedBytes += Other.CarriedBytes;
  Unknown |= Other.Unknown;
  Estimated |= Other.Estimated;
  // Samples are independent of each other.
  AllocationsVariance += Other.AllocationsVariance;
  BytesVariance += Other.BytesVariance;
}

namespace {

/// Half the width of the interval that holds a normally distributed value with
/// a probability of 95 %.
uint64_t halfOf95(double Variance) {
  return rounded(std::ceil(1.959964 * std::sqrt(Variance)));
}

/// The variance of estimates from \p Blocks samples with \p Bytes in total,
/// each taken with the probability 1/Weight independently of the others. It is
/// the Horvitz-Thompson estimator's under Poisson sampling, the sum of (1 - p)
/// / p^2 * value^2 over samples (Saerndal, Swensson and Wretman, "Model
/// Assisted Survey Sampling", 3.5). The trace has sums per site, so its blocks
/// count as equally large.
void estimateVariance(Counts &C, double Blocks, double Bytes, double Weight) {
  C.Estimated = true;
  if (!(Blocks > 0))
    return;
  C.AllocationsVariance = Blocks * Weight * std::max(Weight - 1, 0.0);
  const double Size = Bytes / Blocks;
  C.BytesVariance = C.AllocationsVariance * Size * Size;
}

uint64_t scaledBy(uint64_t Value, double Factor) {
  return rounded(static_cast<double>(Value) * Factor);
}

} // namespace

static std::optional<uint64_t> unless(bool Unknown, uint64_t Value) {
  return Unknown ? std::nullopt : std::optional(Value);
}

std::optional<uint64_t> Counts::allocations() const {
  return unless(Unknown & (trace::kFlagNoTotals | trace::kFlagNoBlocks),
                Allocations);
}
std::optional<uint64_t> Counts::allocatedBytes() const {
  return unless(Unknown & trace::kFlagNoTotals, AllocatedBytes);
}
std::optional<uint64_t> Counts::frees() const {
  return unless(Unknown & (trace::kFlagNoTotals | trace::kFlagNoFrees |
                           trace::kFlagNoBlocks),
                Frees);
}
std::optional<uint64_t> Counts::freedBytes() const {
  return unless(Unknown & (trace::kFlagNoTotals | trace::kFlagNoFrees),
                FreedBytes);
}
std::optional<uint64_t> Counts::liveAllocations() const {
  return unless(Unknown & (trace::kFlagNoBlocks | trace::kFlagNoFrees |
                           trace::kFlagNoLiveBySite),
                LiveAllocations);
}
std::optional<uint64_t> Counts::liveBytes() const {
  return unless(Unknown & (trace::kFlagNoFrees | trace::kFlagNoLiveBySite),
                LiveBytes);
}
std::optional<uint64_t> Counts::temporary() const {
  return unless(Unknown & trace::kFlagNoTemporary, Temporary);
}

uint64_t Counts::allocationsWithin() const {
  return halfOf95(AllocationsVariance);
}

uint64_t Counts::bytesWithin() const { return halfOf95(BytesVariance); }

/// Turns blocks (or bytes) gained, moved elsewhere, carried and freed into
/// figures that add up.
void RowSums::balance(uint64_t Gained, uint64_t Moved, uint64_t Carried,
                      uint64_t Frees, uint64_t &OutGained, uint64_t &OutCarried,
                      uint64_t &OutFrees, uint64_t &OutLive) {
  // Blocks that moved away may be from before the reset.
  OutGained = minus(Gained, Moved);
  OutCarried = minus(Carried, minus(Moved, Gained));
  if (SomeThreads)
    OutCarried = std::max(OutCarried, minus(Frees, OutGained));
  const uint64_t Had = OutGained + OutCarried;
  Inconsistent |= Frees > Had || (Moved > Gained + Carried && !SomeThreads);
  OutFrees = std::min(Frees, Had);
  OutLive = Had - OutFrees;
}

uint16_t unknownOf(const trace::FileHeader &H) {
  constexpr uint32_t kUnknown = trace::kFlagNoTotals | trace::kFlagNoFrees |
                                trace::kFlagNoBlocks | trace::kFlagNoTemporary |
                                trace::kFlagNoLiveBySite;
  return static_cast<uint16_t>(H.Flags & kUnknown);
}

Counts RowSums::counts(const trace::FileHeader &H) {
  Counts C;
  const auto Delta = [&](auto Member) {
    return minus(Now.*Member, Before.*Member);
  };
  using R = trace::RowTotals;
  uint64_t Allocations = Delta(&R::Allocations), Bytes = Delta(&R::Bytes);
  uint64_t Frees = Delta(&R::Frees), FreedBytes = Delta(&R::FreedBytes);
  uint64_t Moved = Delta(&R::MovedOut);
  uint64_t MovedBytes = Delta(&R::MovedOutBytes);
  uint64_t Carried =
      minus(minus(Before.Allocations, Before.MovedOut), Before.Frees);
  uint64_t CarriedBytes =
      minus(minus(Before.Bytes, Before.MovedOutBytes), Before.FreedBytes);
  C.Temporary = Delta(&R::Temporary);
  C.Reallocations = Delta(&R::Reallocations);
  if (H.Flags & trace::kFlagSampledBytes) {
    // Each sampled block represents 1/P(sampled), so that sums are unbiased. A
    // block that moved took its weight with it.
    const double Gained = Now.WeightedAllocations - Before.WeightedAllocations;
    const double GainedBytes = Now.WeightedBytes - Before.WeightedBytes;
    const uint64_t Blocks = minus(Allocations, Moved);
    const double Weight = Blocks > 0 ? Gained / static_cast<double>(Blocks) : 1;
    estimateVariance(C, static_cast<double>(Blocks),
                     static_cast<double>(minus(Bytes, MovedBytes)), Weight);
    Allocations = rounded(Gained);
    Bytes = rounded(GainedBytes);
    Frees = rounded(Now.WeightedFrees - Before.WeightedFrees);
    FreedBytes = rounded(Now.WeightedFreedBytes - Before.WeightedFreedBytes);
    // Rounded as a sum, so that frees do not exceed the blocks that there were.
    Carried = minus(
        rounded(Gained + Before.WeightedAllocations - Before.WeightedFrees),
        Allocations);
    CarriedBytes = minus(
        rounded(GainedBytes + Before.WeightedBytes - Before.WeightedFreedBytes),
        Bytes);
    Moved = MovedBytes = 0;
    C.Temporary = scaledBy(C.Temporary, Weight);
    C.Reallocations = scaledBy(C.Reallocations, Weight);
  } else if ((H.Flags & trace::kFlagSampledEvery) && H.Every > 1) {
    estimateVariance(C, static_cast<double>(minus(Allocations, Moved)),
                     static_cast<double>(minus(Bytes, MovedBytes)),
                     static_cast<double>(H.Every));
    for (uint64_t *Value :
         {&Allocations, &Bytes, &Frees, &FreedBytes, &Moved, &MovedBytes,
          &Carried, &CarriedBytes, &C.Temporary, &C.Reallocations})
      *Value *= H.Every;
  }
  balance(Allocations, Moved, Carried, Frees, C.Allocations,
          C.CarriedAllocations, C.Frees, C.LiveAllocations);
  balance(Bytes, MovedBytes, CarriedBytes, FreedBytes, C.AllocatedBytes,
          C.CarriedBytes, C.FreedBytes, C.LiveBytes);
  C.Unknown = unknownOf(H);
  C.Temporary = std::min(C.Temporary, C.Frees);
  C.Reallocations = std::min(C.Reallocations, C.Allocations);
  return C;
}

} // namespace inmem::report
