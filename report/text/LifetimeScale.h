//===- LifetimeScale.h - Lifetimes on a logarithmic axis ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The axis that all sparklines of a table share, and the rows of a bar
// histogram.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_LIFESCALE_H
#define INMEM_REPORT_LIFESCALE_H

#include "report/base/Histogram.h"
#include "report/text/Table.h"

namespace inmem::report {

class LifetimeScale {
public:
  /// An axis that covers whole decades around First to Last. \param Width the
  /// most columns, but at least one per decade
  LifetimeScale(Unit In, uint64_t First, uint64_t Last, size_t Width);

  size_t width() const { return Edges.size() + 1; }
  /// Names of units at their starts: `1µs   1ms   1s`. At least as wide as
  /// width(), and at most two columns wider.
  std::string axis(const Style &S) const;
  /// One character per step, whose height is the share of the largest.
  std::string spark(const Style &S, const Histogram &Lifetimes) const;

private:
  Unit In;
  unsigned Low, High; ///< decades: 10^Low to 10^High
  unsigned PerDecade;
  std::vector<uint64_t> Edges; ///< between steps
};

/// One character per value, whose height is the share of the largest, or of \p
/// Most if that is larger; 0 is a space.
std::string sparkline(const Style &S, std::span<const uint64_t> Values,
                      uint64_t Most = 0);

/// Edges for the rows of a bar histogram from First to Last: decades, or
/// finer if those are few. At most about a dozen.
std::vector<uint64_t> barEdges(uint64_t First, uint64_t Last);

/// A bar of at most Width columns, filled to Share (0 to 1).
std::string bar(const Style &S, double Share, size_t Width);

} // namespace inmem::report

#endif
