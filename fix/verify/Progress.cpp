//===- Progress.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fix/verify/Progress.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace inmem::fix {

std::string durationText(double Seconds) {
  constexpr double kMinute = 60;
  // Below two minutes, rounding to minutes would be too coarse.
  return Seconds < 2 * kMinute
             ? std::to_string(std::max(1L, std::lround(Seconds))) + " s"
             : std::to_string(std::lround(Seconds / kMinute)) + " min";
}

void Progress::prepare(const llvm::Twine &What) {
  llvm::errs() << "inmem: fix: " << What << "\n";
  Begun = Clock::now();
}

void Progress::expect(size_t Count, double SecondsEach) {
  Steps = Count;
  Done = 0;
  Most = SecondsEach;
}

void Progress::step(const llvm::Twine &What) {
  const auto Now = Clock::now();
  if (Done == 0)
    First = Now;
  const auto Left = static_cast<double>(Steps - std::min(Done, Steps));
  const double Each = Done == 0
                          ? Most
                          : std::chrono::duration<double>(Now - First).count() /
                                static_cast<double>(Done);
  ++Done;
  llvm::errs() << "inmem: fix: " << Done << " of " << std::max(Steps, Done)
               << ": " << What << "; " << (Done == 1 ? "at most " : "about ")
               << durationText(Left * Each) << " left\n";
  Begun = Now;
}

double Progress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - Begun).count();
}

} // namespace inmem::fix
