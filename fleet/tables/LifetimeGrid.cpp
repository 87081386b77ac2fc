//===- LifetimeGrid.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/tables/LifetimeGrid.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace inmem::fleet {

static constexpr uint64_t kLongestLifetime =
    std::numeric_limits<int64_t>::max();

unsigned gridBucket(uint64_t Value) {
  Value = std::min(Value, kLongestLifetime);
  if (Value < 8)
    return static_cast<unsigned>(Value);
  const auto Octave = static_cast<unsigned>(std::bit_width(Value)) - 1;
  return 8 * (Octave - 2) + static_cast<unsigned>((Value >> (Octave - 3)) & 7);
}

uint64_t gridStart(unsigned Bucket) {
  if (Bucket < 8)
    return Bucket;
  if (Bucket >= kGridBuckets)
    return kLongestLifetime;
  return (8ull + Bucket % 8) << (Bucket / 8 - 1);
}

namespace {

/// Cuts buckets of a trace. All traces share its vectors.
class Cutter {
public:
  void add(const report::Bucket &Of);
  std::vector<GridCell> Out;

private:
  void addCell(unsigned Bucket, uint64_t Count, uint64_t Bytes);
  std::vector<uint64_t> Widths, Counts, Sizes;
};

} // namespace

/// The last cells may belong to the same bucket, or to a later one.
void Cutter::addCell(unsigned Bucket, uint64_t Count, uint64_t Bytes) {
  if (Count == 0)
    return;
  if (Out.empty() || Out.back().Bucket < Bucket)
    Out.push_back({Bucket, 0, 0});
  auto At = std::find_if(Out.rbegin(), Out.rend(),
                         [&](const GridCell &C) { return C.Bucket <= Bucket; });
  if (At == Out.rend() || At->Bucket != Bucket)
    At = std::reverse_iterator(Out.insert(At.base(), GridCell{Bucket, 0, 0}) +
                               1);
  At->Count += Count;
  At->Bytes += Bytes;
}

void Cutter::add(const report::Bucket &Of) {
  const unsigned First = gridBucket(Of.From);
  const unsigned Last = gridBucket(Of.To > Of.From ? Of.To - 1 : Of.From);
  if (First == Last)
    return addCell(First, Of.Count, Of.Bytes);
  Widths.clear();
  for (unsigned B = First; B <= Last; ++B)
    Widths.push_back(std::min(gridStart(B + 1), Of.To) -
                     std::max(gridStart(B), Of.From));
  report::apportion(Widths, Of.Count, Counts);
  report::apportion(Counts, Of.Bytes, Sizes);
  for (unsigned B = First; B <= Last; ++B)
    addCell(B, Counts[B - First], Sizes[B - First]);
}

std::vector<GridCell> onGrid(const report::Histogram &Lifetimes) {
  Cutter Cells;
  Cells.Out.reserve(Lifetimes.buckets().size() + 8);
  for (const report::Bucket &B : Lifetimes.buckets())
    Cells.add(B);
  return std::move(Cells.Out);
}

} // namespace inmem::fleet
