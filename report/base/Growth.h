//===- Growth.h - Does a quantity grow without bound? ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rule behind the finding "grows without bound" (docs/control.md),
// independent of the source of the figures.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_BASE_GROWTH_H
#define INMEM_REPORT_BASE_GROWTH_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace inmem::report {

struct Sample {
  uint64_t Ns = 0;
  uint64_t Value = 0;
};

/// A slope with its 99 % confidence interval, in units of the value per second.
struct Slope {
  double Middle = 0, Low = 0, High = 0;
};

struct Growth {
  /// Growth after the first fifth of the samples, which counts as warm-up.
  /// None: fewer than kLeastSamples.
  std::optional<Slope> Rise;
  bool Unbounded = false;
};

/// Fewer samples do not show growth.
inline constexpr size_t kLeastSamples = 12;

/// The median of the slopes between all pairs of samples (Theil, Sen), and its
/// confidence interval from the variance of Kendall's S (Gilbert, Statistical
/// Methods for Environmental Pollution Monitoring, 16.5). A few outliers do not
/// change it. None for fewer than two moments.
std::optional<Slope> slopeOf(std::span<const Sample> Samples);

/// \param Samples in order of time, about evenly spaced
Growth growthOf(std::span<const Sample> Samples);

} // namespace inmem::report

#endif
