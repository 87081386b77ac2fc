//===- LifeGrid.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/LifeGrid.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace inmem::fleet {

static constexpr uint64_t kLongestLife = std::numeric_limits<int64_t>::max();

unsigned gridBucket(uint64_t Value) {
  Value = std::min(Value, kLongestLife);
  if (Value < 8)
    return static_cast<unsigned>(Value);
  const auto Octave = static_cast<unsigned>(std::bit_width(Value)) - 1;
  return 8 * (Octave - 2) + static_cast<unsigned>((Value >> (Octave - 3)) & 7);
}

uint64_t gridStart(unsigned Bucket) {
  if (Bucket < 8)
    return Bucket;
  if (Bucket >= kGridBuckets)
    return kLongestLife;
  return (8ull + Bucket % 8) << (Bucket / 8 - 1);
}

/// Adds a bucket of a trace to Out, whose last cells may be of the same bucket.
static void cut(const report::Bucket &Of, std::vector<GridCell> &Out) {
  const auto Add = [&](unsigned Bucket, uint64_t Count, uint64_t Bytes) {
    if (Count == 0)
      return;
    if (Out.empty() || Out.back().Bucket < Bucket)
      Out.push_back({Bucket, 0, 0});
    auto At = std::find_if(Out.rbegin(), Out.rend(), [&](const GridCell &C) {
      return C.Bucket <= Bucket;
    });
    if (At == Out.rend() || At->Bucket != Bucket)
      At = std::reverse_iterator(Out.insert(At.base(), GridCell{Bucket, 0, 0}) +
                                 1);
    At->Count += Count;
    At->Bytes += Bytes;
  };
  const unsigned First = gridBucket(Of.From);
  const unsigned Last = gridBucket(Of.To > Of.From ? Of.To - 1 : Of.From);
  if (First == Last)
    return Add(First, Of.Count, Of.Bytes);
  std::vector<uint64_t> Widths;
  for (unsigned B = First; B <= Last; ++B)
    Widths.push_back(std::min(gridStart(B + 1), Of.To) -
                     std::max(gridStart(B), Of.From));
  const auto Counts = report::apportion(Widths, Of.Count);
  const auto Sizes = report::apportion(Counts, Of.Bytes);
  for (unsigned B = First; B <= Last; ++B)
    Add(B, Counts[B - First], Sizes[B - First]);
}

std::vector<GridCell> onGrid(const report::Histogram &Lives) {
  std::vector<GridCell> Out;
  for (const report::Bucket &B : Lives.buckets())
    cut(B, Out);
  return Out;
}

} // namespace inmem::fleet
