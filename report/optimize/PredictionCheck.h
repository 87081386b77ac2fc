//===- PredictionCheck.h - Predicted and real lifetimes -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_OPTIMIZE_PREDICTIONCHECK_H
#define INMEM_REPORT_OPTIMIZE_PREDICTIONCHECK_H

#include "report/optimize/LifetimeProfile.h"

namespace inmem::report {

/// A context of the new run and the old run's prediction for it.
struct PredictedContext {
  CallStack Stack;
  ContextLifetimes Lifetimes; ///< in the new run
  LifetimeClass Predicted = LifetimeClass::Short;
  bool held() const { return Predicted == Lifetimes.lifetimeClass(); }
};

struct PredictionSum {
  uint64_t Contexts = 0, Blocks = 0, Bytes = 0;
};

struct PredictionCheck {
  std::shared_ptr<const CallTable> Calls; ///< calls that form the stacks
  std::vector<PredictedContext> Contexts; ///< in both runs; most bytes first
  PredictionSum Kept, Missed, Unknown;    ///< Unknown: in the new run only
  /// The share of correctly predicted bytes, among contexts in both runs.
  double share() const;
  /// True if nine of ten bytes are as predicted.
  bool hold() const;
  CodeStack framesOf(const PredictedContext &C) const {
    return Calls->frames(C.Stack);
  }
};

/// If the profile of \p Old has no phases, phases of both count as short. Rare
/// allocations of libraries are left out, as in that profile.
PredictionCheck compareLifetimes(LifetimeProfile Old, LifetimeProfile New);

} // namespace inmem::report

#endif
