//===- Run.cpp - The run as a whole ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/base/Units.h"
#include "report/findings/Rules.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>

namespace inmem::report {

namespace {

/// True if a phase's name implies that nothing should be allocated in it.
bool isSteady(const std::string &Name) {
  std::string Lower;
  for (const char C : Name)
    if (std::isalpha(static_cast<unsigned char>(C)))
      Lower += static_cast<char>(std::tolower(static_cast<unsigned char>(C)));
  return Lower.find("steady") != std::string::npos ||
         Lower.find("realtime") != std::string::npos;
}

} // namespace

void findForeignFrees(FindingList &Out) {
  const Profile &P = Out.P;
  std::map<size_t, std::pair<uint64_t, uint64_t>> BySite; // blocks, bytes
  for (const FreeResult &R : P.Frees)
    if (R.AllocatedIn.Index != 0 && R.FreedIn.Index != 0 &&
        (R.AllocatedIn.Index != R.FreedIn.Index ||
         R.AllocatedIn.Pid != R.FreedIn.Pid)) {
      BySite[R.Site].first += R.Frees;
      BySite[R.Site].second += R.FreedBytes;
    }
  std::vector<size_t> Sites;
  Sites.reserve(BySite.size());
  for (const auto &[Site, Freed] : BySite)
    Sites.push_back(Site);
  for (const SiteGroup &Line : byLine(P, Sites)) {
    Finding F = Out.of(RuleId::FreedElsewhere, Line);
    F.Allocations = F.Bytes = 0;
    for (const size_t Site : Line.Sites) {
      F.Allocations += BySite[Site].first;
      F.Bytes += BySite[Site].second;
    }
    F.Message = fmt::format("{} of {} freed by another thread",
                            humanCount(F.Allocations),
                            counted(Line.Sum.Frees, "block"));
    F.Advice =
        "hand blocks back, or reuse them: allocators pay for foreign frees";
    Out.add(std::move(F), Line);
  }
}

void findSteadyPhases(FindingList &Out) {
  for (const PhaseResult &Phase : Out.P.Phases) {
    if (!isSteady(Phase.Name) || Phase.Sum.Allocations == 0)
      continue;
    for (const PhaseResult::Part &Part : Phase.Types) {
      if (Part.Sum.Allocations == 0)
        continue;
      Finding F;
      F.Rule = RuleId::SteadyPhase;
      const SiteResult *At = nullptr;
      const auto Row =
          std::ranges::find(Out.P.Types, Part.Type, &TypeResult::Name);
      if (Row != Out.P.Types.end()) {
        F.Type = static_cast<size_t>(Row - Out.P.Types.begin());
        // It is unknown which of several sites allocated in the phase.
        if (Row->Sites.size() == 1)
          At = Out.siteOf(*F.Type);
      }
      F.Bytes = F.SavesBytes = Part.Sum.AllocatedBytes;
      F.Allocations = F.SavesAllocations = Part.Sum.Allocations;
      F.Message = fmt::format("{} in the phase {}",
                              counted(F.Allocations, "block"), Phase.Name);
      F.Advice = "allocate before the phase begins, and reuse";
      Out.add(std::move(F), At);
    }
  }
}

} // namespace inmem::report
