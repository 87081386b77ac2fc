//===- AllocationCost.cpp - Is allocation what takes the time? ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/findings/RuleFacts.h"

#include "report/base/Units.h"

#include <algorithm>
#include <fmt/format.h>

namespace inmem::report {

bool AllocationCost::isLittle() const {
  constexpr double kSampled = 0.05, kPriced = 0.01;
  return Part < (Measured ? kSampled : kPriced);
}

/// Measured by samples of running threads.
static std::optional<AllocationCost> sampledCost(const Profile &P) {
  constexpr uint64_t kEnough = 100;
  if (!P.Samples || P.Samples->Running < kEnough)
    return std::nullopt;
  uint64_t In = 0;
  for (const SampledFunction &F : P.Samples->Functions)
    In += F.Allocator;
  return AllocationCost{
      std::min(1.0, static_cast<double>(In) /
                        static_cast<double>(P.Samples->Running)),
      true};
}

/// Estimated from the time that an allocation and its free take in common
/// allocators, and from the cost of touching new pages.
static std::optional<AllocationCost> pricedCost(const Profile &P) {
  // 200 instructions, and a page fault for each 4 KiB: both are upper
  // estimates.
  constexpr double kBlockNs = 60, kByteNs = 0.06, kLeastNs = 1e9;
  double Ns = 0;
  for (const ProcessResult &R : P.Processes) {
    if (!R.DurationNs || R.Imported || R.Reset)
      return std::nullopt;
    Ns += static_cast<double>(*R.DurationNs);
  }
  if (Ns < kLeastNs || !P.WholeRun)
    return std::nullopt;
  const double Price = kBlockNs * static_cast<double>(P.Totals.Allocations) +
                       kByteNs * static_cast<double>(P.Totals.AllocatedBytes);
  return AllocationCost{std::min(1.0, Price / Ns), false};
}

std::optional<AllocationCost> allocationCost(const Profile &P) {
  if (auto Cost = sampledCost(P))
    return Cost;
  return pricedCost(P);
}

std::string whyNotFaster(const Profile &P) {
  const auto Cost = allocationCost(P);
  if (!Cost || !Cost->isLittle())
    return {};
  if (Cost->Measured)
    return fmt::format(
        "Allocation is not what takes the time: {:.1f} % of the CPU samples "
        "are in the allocator. --by cpu shows the rest of profile=.",
        Cost->Part * 100);
  constexpr double kLeast = 0.01;
  const double Percent = Cost->Part * 100;
  return fmt::format(
      "Allocation is not what takes the time: these blocks take {} {:.1g} % "
      "of the run's. INMEM_OPTIONS=profile=1ms:profile_clock=cpu and --by cpu "
      "show what does.",
      Percent < kLeast ? "less than" : "about", std::max(Percent, kLeast));
}

} // namespace inmem::report
