//===- RunFigure.h - One figure of runs of two programs ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_OPTIMIZE_RUNFIGURE_H
#define INMEM_REPORT_OPTIMIZE_RUNFIGURE_H

#include <optional>
#include <string_view>
#include <vector>

namespace inmem::report {

/// Increase of \p New, in percent; nothing if it cannot be computed.
std::optional<double> changeOf(double Old, double New);

/// A figure measured in several runs of each; less is better.
struct RunFigure {
  double Slack = 0; ///< differences up to this are never judged
  bool Judged = true;
  bool TooShort = false; ///< the runs ended before the figure meant anything
  std::vector<double> Old = {}, New = {}; ///< sorted

  static double median(const std::vector<double> &V) { return V[V.size() / 2]; }
  bool known() const { return !Old.empty() && !New.empty(); }
  /// By more than the tolerance, in percent, and the slack; and nearly all new
  /// runs are above the middle old one.
  bool worse(double Tolerance) const;
  /// worse, better, same; or why it is none of them.
  std::string_view verdict(double Tolerance) const;
};

} // namespace inmem::report

#endif
