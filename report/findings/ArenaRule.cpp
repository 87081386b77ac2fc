//===- ArenaRule.cpp - Blocks that live and die together ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/base/Units.h"
#include "report/findings/Rules.h"
#include "report/optimize/LifetimeProfile.h"

#include <algorithm>
#include <fmt/format.h>

namespace inmem::report {

namespace {

/// Small blocks, and enough of them to justify an arena.
constexpr uint64_t kManyBlocks = 1000, kSmallBytes = 512;

/// True if nearly all blocks were alive at one time, so that an arena takes no
/// more memory than they do, and none remains.
bool liveAndDieTogether(const Counts &C, std::optional<uint64_t> Peak) {
  constexpr double kNearlyAll = 0.9;
  return C.Allocations >= kManyBlocks && !C.Estimated &&
         C.CarriedAllocations == 0 && C.LiveAllocations == 0 &&
         C.AllocatedBytes / C.Allocations <= kSmallBytes && Peak &&
         static_cast<double>(*Peak) >=
             kNearlyAll * static_cast<double>(C.AllocatedBytes);
}

/// The lifetime class that `inmem optimize` assigns to the blocks of a type.
LifetimeClass classOf(const Profile &P, const TypeResult &T) {
  ContextLifetimes Lifetimes;
  Lifetimes.Blocks = T.Sum.Allocations;
  Lifetimes.Bytes = T.Sum.AllocatedBytes;
  Lifetimes.sortLifetimes(T.Life.Lifetimes, P.Totals.AllocatedBytes, 1);
  return Lifetimes.lifetimeClass();
}

Finding arenaFor(FindingList &Out, size_t Type, const Counts &C,
                 uint64_t Peak) {
  Finding F = Out.of(RuleId::PhaseArena, Type);
  F.Allocations = C.Allocations;
  F.Bytes = C.AllocatedBytes;
  F.SavesAllocations = C.Allocations - 1; // the arena allocates once
  F.Advice = fmt::format("an arena for them, std::pmr::monotonic_buffer_"
                         "resource of {}, freed as a whole",
                         humanBytes(Peak));
  return F;
}

} // namespace

void findArenas(FindingList &Out) {
  const Profile &P = Out.P;
  if (!P.WholeRun || P.Processes.size() != 1)
    return;
  std::vector<bool> Has(P.Types.size());
  for (const PhaseResult &Phase : P.Phases) {
    if (Phase.Name.empty())
      continue;
    for (const PhaseResult::Part &Part : Phase.Types) {
      const auto Row = std::ranges::find(P.Types, Part.Type, &TypeResult::Name);
      if (!Part.Type || Row == P.Types.end() ||
          !liveAndDieTogether(Part.Sum, Part.PeakLiveBytes))
        continue;
      const auto Type = static_cast<size_t>(Row - P.Types.begin());
      Has[Type] = true;
      Finding F = arenaFor(Out, Type, Part.Sum, *Part.PeakLiveBytes);
      F.Message = fmt::format(
          "{}, all alive together in the phase {} and freed before its end",
          counted(F.Allocations, "block"), Phase.Name);
      // It is unknown which of several sites allocated in the phase.
      Out.add(std::move(F),
              Row->Sites.size() == 1 ? Out.siteOf(Type) : nullptr);
    }
  }
  // The part of the run is chosen by bytes, which are the same in every run. By
  // time, it would differ on a busy machine.
  if (P.LifetimeUnit != Unit::Bytes)
    return;
  for (size_t I = 0; I < P.Types.size(); ++I) {
    const TypeResult &T = P.Types[I];
    if (Has[I] || !T.Name || T.Elements != T.Sum.Allocations ||
        !liveAndDieTogether(T.Sum, T.PeakLiveBytes) ||
        classOf(P, T) != LifetimeClass::Phase)
      continue;
    Finding F = arenaFor(Out, I, T.Sum, *T.PeakLiveBytes);
    F.Message = fmt::format("{}, all alive together, in a part of the run",
                            counted(F.Allocations, "block"));
    Out.add(std::move(F), Out.siteOf(I));
  }
}

} // namespace inmem::report
