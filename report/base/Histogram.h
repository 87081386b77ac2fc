//===- Histogram.h - Lifetimes in buckets, exact in number ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The maths of lifetimes: raw log-linear buckets of the trace (Format.h) to
// buckets in ns or bytes that add up to a given number, quantiles, and buckets
// as the user requests them. Integers throughout.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_BASE_HISTOGRAM_H
#define INMEM_REPORT_BASE_HISTOGRAM_H

#include "trace/read/Trace.h"

#include <cstdint>
#include <span>
#include <vector>

namespace inmem::report {

/// Unit of lifetimes.
enum class Unit { Nanoseconds, Bytes };

/// Lifetimes from From (included) to To (not included).
struct Bucket {
  uint64_t From = 0, To = 0;
  uint64_t Count = 0, Bytes = 0;
  bool operator==(const Bucket &) const = default;
};

/// Splits Total into shares proportional to Weights that add up to Total
/// exactly (largest remainder; of equal remainders the first). All shares are 0
/// if all weights are.
std::vector<uint64_t> apportion(std::span<const uint64_t> Weights,
                                uint64_t Total);
/// As apportion() above, into Shares, to reuse its memory.
void apportion(std::span<const uint64_t> Weights, uint64_t Total,
               std::vector<uint64_t> &Shares);

/// Translates the ticks of one trace to its unit.
class Grid {
public:
  /// Reads clock, rate and shift from H (validated by the reader).
  explicit Grid(const trace::FileHeader &H);

  Unit unit() const { return TheUnit; }
  /// Converts a recorded lifetime to the unit, rounded down, saturating.
  uint64_t fromTicks(uint64_t Ticks) const;

private:
  Unit TheUnit;
  uint64_t PerSecond;
  unsigned Shift;
};

/// Buckets in order, without overlap, each with a count above 0.
class Histogram {
public:
  Histogram() = default;
  explicit Histogram(std::vector<Bucket> From) : Parts(std::move(From)) {}

  /// Scales Raw so that its counts add up to Count and its bytes to Bytes.
  /// Buckets finer than the unit are merged. Empty if Raw is.
  static Histogram scaled(const trace::Buckets &Raw, const Grid &Of,
                          uint64_t Count, uint64_t Bytes);

  const std::vector<Bucket> &buckets() const { return Parts; }
  bool empty() const { return Parts.empty(); }
  uint64_t count() const;
  uint64_t bytes() const;

  /// Adds Other; buckets that overlap without being equal are split in
  /// proportion to their width.
  void add(const Histogram &Other);
  /// Scales counts and bytes so that they add up to these totals.
  void scaleTo(uint64_t Count, uint64_t Bytes);
  /// The quantile P (0 to 1) of the lifetimes, linear within a bucket. 0 if
  /// empty.
  uint64_t quantile(double P) const;
  /// The lifetimes from From (included) to To (not included); a bucket that an
  /// end divides is split in proportion.
  Histogram within(uint64_t From, uint64_t To) const;
  /// Counts between consecutive Edges, before the first and from the last
  /// on: Edges.size() + 1 buckets, empty ones included. Buckets that an edge
  /// divides are split in proportion.
  std::vector<Bucket> between(std::span<const uint64_t> Edges) const;

private:
  std::vector<Bucket> Parts;
};

} // namespace inmem::report

#endif
