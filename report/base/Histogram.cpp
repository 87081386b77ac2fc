//===- Histogram.cpp - Apportioning, merging, quantiles -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/base/Histogram.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace inmem::report {

using Wide = unsigned __int128;
constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();

/// As apportion(), with arithmetic in N, which holds Total times the sum of the
/// weights.
template <class N>
static void divide(std::span<const uint64_t> Weights, N Sum, uint64_t Total,
                   std::span<uint64_t> Shares) {
  uint64_t Given = 0;
  for (size_t I = 0; I < Weights.size(); ++I)
    Given += Shares[I] = static_cast<uint64_t>(N{Weights[I]} * Total / Sum);
  if (Given == Total)
    return;
  const auto Remainder = [&](size_t I) {
    return N{Weights[I]} * Total - N{Shares[I]} * Sum;
  };
  if (Total - Given == 1) {
    size_t Most = 0;
    for (size_t I = 1; I < Weights.size(); ++I)
      if (Remainder(I) > Remainder(Most))
        Most = I;
    ++Shares[Most];
    return;
  }
  // Fewer than Weights.size() are left: each remainder is below Sum.
  constexpr size_t kFew = 32;
  std::array<std::pair<N, size_t>, kFew> Few;
  std::vector<std::pair<N, size_t>> Many(Weights.size() > kFew ? Weights.size()
                                                               : 0);
  const std::span Rest =
      Many.empty() ? std::span(Few).first(Weights.size()) : std::span(Many);
  for (size_t I = 0; I < Weights.size(); ++I)
    Rest[I] = {Remainder(I), I};
  const auto Last = Rest.begin() + static_cast<std::ptrdiff_t>(Total - Given);
  std::nth_element(
      Rest.begin(), Last, Rest.end(), [](const auto &A, const auto &B) {
        return A.first != B.first ? A.first > B.first : A.second < B.second;
      });
  for (auto At = Rest.begin(); At != Last; ++At)
    ++Shares[At->second];
}

void apportion(std::span<const uint64_t> Weights, uint64_t Total,
               std::vector<uint64_t> &Shares) {
  Shares.assign(Weights.size(), 0);
  Wide Sum = 0;
  for (const uint64_t W : Weights)
    Sum += W;
  if (Sum == 0)
    return;
  // 64 bits nearly always suffice, and take a tenth of the time.
  if (Total == 0 || Sum <= kMax / Total)
    divide<uint64_t>(Weights, static_cast<uint64_t>(Sum), Total, Shares);
  else
    divide<Wide>(Weights, Sum, Total, Shares);
}

std::vector<uint64_t> apportion(std::span<const uint64_t> Weights,
                                uint64_t Total) {
  std::vector<uint64_t> Shares;
  apportion(Weights, Total, Shares);
  return Shares;
}

Grid::Grid(const trace::FileHeader &H)
    : TheUnit(H.Clock == trace::ClockKind::Events ? Unit::Bytes
                                                  : Unit::Nanoseconds),
      PerSecond(std::max<uint64_t>(H.TicksPerSecond, 1)), Shift(H.TickShift) {}

uint64_t Grid::fromTicks(uint64_t Ticks) const {
  const Wide Shifted = Wide{Ticks} << Shift;
  const Wide Value =
      TheUnit == Unit::Bytes ? Shifted : Shifted * 1'000'000'000u / PerSecond;
  return Value > kMax ? kMax : static_cast<uint64_t>(Value);
}

Histogram Histogram::scaled(const trace::Buckets &Raw, const Grid &Of,
                            uint64_t Count, uint64_t Bytes) {
  using namespace trace;
  Histogram Out;
  std::vector<uint64_t> Counts, Sizes;
  const auto StartOf = [&](unsigned I) {
    return Of.fromTicks(
        bucketStart(I / kBucketsPerOctave, I % kBucketsPerOctave));
  };
  for (unsigned I = 0; I < Raw.Cells.size(); ++I) {
    const Buckets::Cell &Cell = Raw.Cells[I];
    // A bucket narrower than the unit is added to the first wide enough one
    // with the same start. Until there is one, the last part is open.
    const bool Open =
        !Out.Parts.empty() && Out.Parts.back().From == Out.Parts.back().To;
    if (Cell.Count == 0 && !Open)
      continue; // most cells are empty
    const uint64_t To = StartOf(I + 1);
    if (Open) {
      Out.Parts.back().To = To;
      Counts.back() += Cell.Count;
      Sizes.back() += Cell.Count != 0 ? Cell.Bytes : 0;
    } else {
      Out.Parts.push_back({StartOf(I), To, 0, 0});
      Counts.push_back(Cell.Count);
      Sizes.push_back(Cell.Bytes);
    }
  }
  for (Bucket &B : Out.Parts)
    if (B.From == B.To)
      --B.From; // Beyond what the unit can hold.
  const std::vector<uint64_t> Shares = apportion(Counts, Count);
  for (size_t I = 0; I < Shares.size(); ++I) {
    Out.Parts[I].Count = Shares[I];
    if (Shares[I] == 0)
      Sizes[I] = 0;
  }
  if (std::all_of(Sizes.begin(), Sizes.end(),
                  [](uint64_t S) { return S == 0; }))
    Sizes = Shares;
  const std::vector<uint64_t> SizeShares = apportion(Sizes, Bytes);
  for (size_t I = 0; I < Shares.size(); ++I)
    Out.Parts[I].Bytes = SizeShares[I];
  std::erase_if(Out.Parts, [](const Bucket &B) { return B.Count == 0; });
  return Out;
}

uint64_t Histogram::count() const {
  uint64_t Sum = 0;
  for (const Bucket &B : Parts)
    Sum += B.Count;
  return Sum;
}

uint64_t Histogram::bytes() const {
  uint64_t Sum = 0;
  for (const Bucket &B : Parts)
    Sum += B.Bytes;
  return Sum;
}

/// Appends Part, cut at each of Edges (sorted) inside it.
static void cut(const Bucket &Part, std::span<const uint64_t> Edges,
                std::vector<Bucket> &Out) {
  std::vector<Bucket> Pieces;
  std::vector<uint64_t> Widths;
  uint64_t From = Part.From;
  for (auto E = std::upper_bound(Edges.begin(), Edges.end(), Part.From);
       E != Edges.end() && *E < Part.To; ++E) {
    if (*E == From)
      continue;
    Pieces.push_back({From, *E, 0, 0});
    Widths.push_back(*E - From);
    From = *E;
  }
  if (Pieces.empty()) {
    Out.push_back(Part);
    return;
  }
  Pieces.push_back({From, Part.To, 0, 0});
  Widths.push_back(Part.To - From);
  const auto Counts = apportion(Widths, Part.Count);
  const auto Sizes = apportion(Counts, Part.Bytes);
  for (size_t I = 0; I < Pieces.size(); ++I)
    if (Counts[I] != 0) {
      Pieces[I].Count = Counts[I];
      Pieces[I].Bytes = Sizes[I];
      Out.push_back(Pieces[I]);
    }
}

static bool overlap(const std::vector<Bucket> &A,
                    const std::vector<Bucket> &B) {
  for (size_t I = 0, J = 0; I < A.size() && J < B.size();) {
    if (A[I].To <= B[J].From)
      ++I;
    else if (B[J].To <= A[I].From)
      ++J;
    else if (A[I].From == B[J].From && A[I].To == B[J].To)
      ++I, ++J;
    else
      return true;
  }
  return false;
}

void Histogram::add(const Histogram &Other) {
  if (Other.empty())
    return;
  if (empty()) {
    Parts = Other.Parts;
    return;
  }
  if (overlap(Parts, Other.Parts)) {
    // For another tick rate, both move onto the grid of this one, then its
    // gaps.
    std::vector<uint64_t> Mine, Theirs;
    for (const Bucket &B : Parts) {
      Mine.push_back(B.From);
      Mine.push_back(B.To);
    }
    std::vector<Bucket> Fine, Here;
    for (const Bucket &B : Other.Parts)
      cut(B, Mine, Fine);
    for (const Bucket &B : Fine) {
      // Pieces within one of our buckets belong to it entirely.
      const auto Within = std::upper_bound(
          Parts.begin(), Parts.end(), B.From,
          [](uint64_t At, const Bucket &P) { return At < P.From; });
      if (Within != Parts.begin() && B.To <= std::prev(Within)->To) {
        std::prev(Within)->Count += B.Count;
        std::prev(Within)->Bytes += B.Bytes;
      } else {
        Here.push_back(B);
      }
    }
    return add(Histogram(std::move(Here)));
  }
  std::vector<Bucket> Out;
  Out.reserve(Parts.size() + Other.Parts.size());
  std::merge(Parts.begin(), Parts.end(), Other.Parts.begin(), Other.Parts.end(),
             std::back_inserter(Out),
             [](const Bucket &A, const Bucket &B) { return A.From < B.From; });
  size_t Last = 0;
  for (size_t I = 1; I < Out.size(); ++I) {
    if (Out[I].From == Out[Last].From) {
      Out[Last].Count += Out[I].Count;
      Out[Last].Bytes += Out[I].Bytes;
    } else {
      Out[++Last] = Out[I];
    }
  }
  Out.resize(Last + 1);
  Parts = std::move(Out);
}

void Histogram::scaleTo(uint64_t Count, uint64_t Bytes) {
  std::vector<uint64_t> Counts, Sizes;
  for (const Bucket &B : Parts)
    Counts.push_back(B.Count);
  Counts = apportion(Counts, Count);
  for (size_t I = 0; I < Parts.size(); ++I)
    Sizes.push_back(Counts[I] == 0 ? 0 : std::max<uint64_t>(Parts[I].Bytes, 1));
  Sizes = apportion(Sizes, Bytes);
  for (size_t I = 0; I < Parts.size(); ++I) {
    Parts[I].Count = Counts[I];
    Parts[I].Bytes = Sizes[I];
  }
  std::erase_if(Parts, [](const Bucket &B) { return B.Count == 0; });
}

uint64_t Histogram::quantile(double P) const {
  const uint64_t All = count();
  if (All == 0)
    return 0;
  // The rank-th lifetime in order, 1-based. Lifetimes are spread evenly over
  // their bucket.
  const double Exact = std::ceil(P * static_cast<double>(All));
  uint64_t Rank = Exact < 1 ? 1 : static_cast<uint64_t>(Exact);
  Rank = std::min(Rank, All);
  uint64_t Before = 0;
  for (const Bucket &B : Parts) {
    if (Before + B.Count >= Rank) {
      const double Share = (static_cast<double>(Rank - Before) - 0.5) /
                           static_cast<double>(B.Count);
      return B.From +
             static_cast<uint64_t>(static_cast<double>(B.To - B.From) * Share);
    }
    Before += B.Count;
  }
  return Parts.back().To;
}

Histogram Histogram::within(uint64_t From, uint64_t To) const {
  const uint64_t Edges[] = {From, To};
  std::vector<Bucket> Fine, Out;
  for (const Bucket &B : Parts)
    cut(B, Edges, Fine);
  for (const Bucket &B : Fine)
    if (B.From >= From && B.From < To && B.Count > 0)
      Out.push_back(B);
  return Histogram(std::move(Out));
}

std::vector<Bucket> Histogram::between(std::span<const uint64_t> Edges) const {
  std::vector<Bucket> Out(Edges.size() + 1);
  for (size_t I = 0; I < Out.size(); ++I) {
    Out[I].From = I == 0 ? 0 : Edges[I - 1];
    Out[I].To = I < Edges.size() ? Edges[I] : kMax;
  }
  std::vector<Bucket> Fine;
  for (const Bucket &B : Parts)
    cut(B, Edges, Fine);
  for (const Bucket &B : Fine) {
    const auto At = std::upper_bound(Edges.begin(), Edges.end(), B.From);
    Bucket &Into = Out[static_cast<size_t>(At - Edges.begin())];
    Into.Count += B.Count;
    Into.Bytes += B.Bytes;
  }
  return Out;
}

} // namespace inmem::report
