//===- RunFigure.cpp - One figure of runs of two programs -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/optimize/ProgramRuns.h"

#include <algorithm>

namespace inmem::report {

std::optional<double> changeOf(double Old, double New) {
  return Old <= 0 ? std::nullopt : std::optional((New / Old - 1) * 100);
}

bool RunFigure::worse(double Tolerance) const {
  if (!Judged || TooShort || !known())
    return false;
  const double Before = median(Old), After = median(New);
  return After > Before * (1 + Tolerance / 100) && After > Before + Slack &&
         New[New.size() / 4] > Before;
}

std::string_view RunFigure::verdict(double Tolerance) const {
  if (!known() || TooShort)
    return "run too short";
  if (!Judged)
    return "not judged";
  const auto [Less, More] = std::minmax({median(Old), median(New)});
  if (More <= Less * (1 + Tolerance / 100))
    return "same";
  if (More <= Less + Slack)
    return "too small";
  if (worse(Tolerance))
    return "worse";
  return median(New) < median(Old) ? "better" : "runs differ";
}

} // namespace inmem::report
