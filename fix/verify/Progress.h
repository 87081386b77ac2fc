//===- Progress.h - Progress of a long command ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_FIX_PROGRESS_H
#define INMEM_FIX_PROGRESS_H

#include "llvm/ADT/Twine.h"

#include <chrono>

namespace inmem::fix {

/// Prints one line to standard error for each step of a command, with an
/// estimate of the remaining time.
class Progress {
public:
  /// Prints a step that precedes the counted ones.
  void prepare(const llvm::Twine &What);
  /// Sets the number of equal steps, and the maximum time of one.
  void expect(size_t Steps, double SecondsEach);
  /// Prints the next step: `1 of 4: What; at most 5 min left`. After the first
  /// step, the estimate uses the mean of the steps so far.
  void step(const llvm::Twine &What);
  /// Seconds since the last line.
  double seconds() const;

private:
  using Clock = std::chrono::steady_clock;

  Clock::time_point Begun = Clock::now(), First;
  size_t Steps = 0, Done = 0;
  double Most = 0; ///< maximum seconds of one step
};

/// Text such as `40 s` or `3 min`; at least `1 s`.
std::string durationText(double Seconds);

} // namespace inmem::fix

#endif // INMEM_FIX_PROGRESS_H
