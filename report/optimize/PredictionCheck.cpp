//===- PredictionCheck.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/optimize/PredictionCheck.h"

#include <algorithm>

namespace inmem::report {

double PredictionCheck::share() const {
  const uint64_t Bytes = Kept.Bytes + Missed.Bytes;
  return Bytes == 0
             ? 1
             : static_cast<double>(Kept.Bytes) / static_cast<double>(Bytes);
}

bool PredictionCheck::hold() const {
  constexpr double kEnough = 0.9;
  return share() >= kEnough;
}

/// Translates stacks of one profile to another's call numbers.
class Translation {
public:
  Translation(const CallTable &From, const CallTable &To)
      : Numbers(From.size()) {
    for (uint32_t Call = 0; Call < From.size(); ++Call)
      Numbers[Call] = To.find(From[Call]);
  }
  /// Nothing if the other profile lacks a call.
  std::optional<CallStack> operator()(CallStack Stack) const {
    for (uint32_t &Call : Stack) {
      if (!Numbers[Call])
        return std::nullopt;
      Call = *Numbers[Call];
    }
    return Stack;
  }

private:
  std::vector<std::optional<uint32_t>> Numbers;
};

PredictionCheck compareLifetimes(LifetimeProfile Old, LifetimeProfile New) {
  PredictionCheck Out;
  Out.Calls = New.Calls;
  if (!Old.phasesGain()) {
    Old.takePhasesForShort();
    New.takePhasesForShort();
  }
  Old.dropRare();
  New.dropRare();
  const auto Add = [](PredictionSum &To, const ContextLifetimes &Lifetimes) {
    ++To.Contexts;
    To.Blocks += Lifetimes.Blocks;
    To.Bytes += Lifetimes.Bytes;
  };
  const Translation Translate(*New.Calls, *Old.Calls);
  for (const auto &[Stack, Lifetimes] : New.Contexts) {
    const auto There = Translate(Stack);
    const auto Known = There ? Old.Contexts.find(*There) : Old.Contexts.end();
    if (Known == Old.Contexts.end()) {
      Add(Out.Unknown, Lifetimes);
      continue;
    }
    Out.Contexts.push_back({Stack, Lifetimes, Known->second.lifetimeClass()});
    Add(Out.Contexts.back().held() ? Out.Kept : Out.Missed, Lifetimes);
  }
  std::ranges::stable_sort(
      Out.Contexts, std::greater(),
      [](const PredictedContext &C) { return C.Lifetimes.Bytes; });
  return Out;
}

} // namespace inmem::report
