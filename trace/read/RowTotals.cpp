//===- RowTotals.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/read/RowTotals.h"

#include <algorithm>

namespace inmem::trace {

void RowTotals::add(const Row &R) {
  if (R.Timed > 0) {
    MinTicks = Timed > 0 ? std::min(MinTicks, R.MinTicks) : R.MinTicks;
    MaxTicks = Timed > 0 ? std::max(MaxTicks, R.MaxTicks) : R.MaxTicks;
  }
  Allocations += R.Allocations;
  Bytes += R.Bytes;
  Frees += R.Frees;
  FreedBytes += R.FreedBytes;
  Temporary += R.Temporary;
  Reallocations += R.Reallocations;
  Timed += R.Timed;
  WeightedTimed += R.WeightedTimed;
  SumTicks += R.SumTicks;
  MovedOut += R.MovedOut;
  MovedOutBytes += R.MovedOutBytes;
  InnerAllocations += R.InnerAllocations;
  InnerBytes += R.InnerBytes;
  WeightedAllocations += R.WeightedAllocations;
  WeightedBytes += R.WeightedBytes;
  WeightedFrees += R.WeightedFrees;
  WeightedFreedBytes += R.WeightedFreedBytes;
}

Row RowTotals::row() const {
  Row Copy{};
  Copy.Allocations = Allocations;
  Copy.Bytes = Bytes;
  Copy.Frees = Frees;
  Copy.FreedBytes = FreedBytes;
  Copy.Temporary = Temporary;
  Copy.Reallocations = Reallocations;
  Copy.Timed = Timed;
  Copy.WeightedTimed = WeightedTimed;
  Copy.SumTicks = SumTicks;
  Copy.MinTicks = MinTicks;
  Copy.MaxTicks = MaxTicks;
  Copy.MovedOut = MovedOut;
  Copy.MovedOutBytes = MovedOutBytes;
  Copy.InnerAllocations = InnerAllocations;
  Copy.InnerBytes = InnerBytes;
  Copy.WeightedAllocations = WeightedAllocations;
  Copy.WeightedBytes = WeightedBytes;
  Copy.WeightedFrees = WeightedFrees;
  Copy.WeightedFreedBytes = WeightedFreedBytes;
  return Copy;
}

void RowTotals::add(const RowTotals &R) { add(R.row()); }

void RowTotals::subtract(const RowTotals &Before) {
  const auto Less = [](uint64_t &From, uint64_t What) {
    From -= std::min(From, What);
  };
  Less(Allocations, Before.Allocations);
  Less(Bytes, Before.Bytes);
  Less(Frees, Before.Frees);
  Less(FreedBytes, Before.FreedBytes);
  Less(Temporary, Before.Temporary);
  Less(Reallocations, Before.Reallocations);
  Less(MovedOut, Before.MovedOut);
  Less(MovedOutBytes, Before.MovedOutBytes);
  WeightedAllocations -= Before.WeightedAllocations;
  WeightedBytes -= Before.WeightedBytes;
  WeightedFrees -= Before.WeightedFrees;
  WeightedFreedBytes -= Before.WeightedFreedBytes;
}

} // namespace inmem::trace
