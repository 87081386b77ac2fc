//===- Held.cpp -----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/optimize/Held.h"

#include <algorithm>

namespace inmem::report {

double Held::share() const {
  const uint64_t Bytes = Kept.Bytes + Missed.Bytes;
  return Bytes == 0
             ? 1
             : static_cast<double>(Kept.Bytes) / static_cast<double>(Bytes);
}

Held compareLives(LifeProfile Old, LifeProfile New) {
  Held Out;
  if (!Old.phasesGain()) {
    Old.takePhasesForShort();
    New.takePhasesForShort();
  }
  Old.dropRare();
  New.dropRare();
  const auto Add = [](HeldSum &To, const ContextLives &Lives) {
    ++To.Contexts;
    To.Blocks += Lives.Blocks;
    To.Bytes += Lives.Bytes;
  };
  for (const auto &[Stack, Lives] : New.Contexts) {
    const auto Known = Old.Contexts.find(Stack);
    if (Known == Old.Contexts.end()) {
      Add(Out.Unknown, Lives);
      continue;
    }
    Out.Contexts.push_back({Stack, Lives, Known->second.lifeClass()});
    Add(Out.Contexts.back().held() ? Out.Kept : Out.Missed, Lives);
  }
  std::ranges::stable_sort(Out.Contexts, std::greater(),
                           [](const HeldContext &C) { return C.Lives.Bytes; });
  return Out;
}

} // namespace inmem::report
