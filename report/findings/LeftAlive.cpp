//===- LeftAlive.cpp - Memory that is never freed -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/base/Units.h"
#include "report/findings/Rules.h"
#include "report/model/LibraryCode.h"
#include "report/model/TypeFacts.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace inmem::report {

namespace {

size_t processes(const Profile &P) {
  return std::max<size_t>(P.Processes.size(), 1);
}

bool isContainer(const Profile &P, const SiteResult &S) {
  return P.Types[S.Type].Name && P.Types[S.Type].Name->starts_with("std::");
}

/// True if a line has at most one live block per process: a table, a pool, a
/// server's only database.
bool isOneOff(const Profile &P, const SiteGroup &Line) {
  return Line.Sum.LiveAllocations <= processes(P);
}

/// Lines of the user's code with live blocks.
std::vector<SiteGroup> liveLines(const Profile &P) {
  std::vector<size_t> Sites;
  for (size_t I = 0; I < P.Sites.size(); ++I)
    if (P.Sites[I].Sum.LiveAllocations > 0 && !isLibraryMemory(P, P.Sites[I]))
      Sites.push_back(I);
  return byLine(P, Sites);
}

} // namespace

bool endedInOrder(const Profile &P) {
  return std::ranges::all_of(P.Processes, [](const ProcessResult &R) {
    return R.Complete && !R.Running && !R.Cut;
  });
}

/// A process that ends without releasing its data has most of its peak alive.
/// Blocks that it needed cannot be distinguished from blocks that it lost, so
/// nothing is reported.
bool keptToItsEnd(const Profile &P) {
  constexpr double kMost = 0.75, kRoot = 0.01;
  constexpr size_t kManyLines = 5;
  if (!P.PeakLiveBytes || *P.PeakLiveBytes == 0)
    return false;
  const auto Peak = static_cast<double>(*P.PeakLiveBytes);
  const std::vector<SiteGroup> Lines = liveLines(P);
  uint64_t Live = 0;
  for (const SiteGroup &Line : Lines)
    Live += Line.Sum.LiveBytes;
  if (static_cast<double>(Live) < kMost * Peak)
    return false;
  // A leak has few lines, and no live root.
  return Lines.size() >= kManyLines ||
         std::ranges::any_of(Lines, [&](const SiteGroup &Line) {
           return isOneOff(P, Line) &&
                  (static_cast<double>(Line.Sum.LiveBytes) >= kRoot * Peak ||
                   isContainer(P, P.Sites[Line.Sites.front()]));
         });
}

void findAlive(FindingList &Out) {
  const Profile &P = Out.P;
  // It may be freed later, may have been about to be freed, or the process
  // needed it.
  if (!P.WholeRun || !endedInOrder(P) || keptToItsEnd(P))
    return;
  std::set<size_t> Told; // reported by never-destroyed
  for (const Undestroyed &U : undestroyed(P))
    Told.insert(U.LiveSites.begin(), U.LiveSites.end());
  std::vector<size_t> Alive;
  for (size_t I = 0; I < P.Sites.size(); ++I) {
    const SiteResult &S = P.Sites[I];
    // Library code that is not compiled with inmem does not show its caller,
    // and the C library keeps some blocks for its own use.
    if (S.Sum.LiveAllocations == 0 || S.Kind == "caller" || Told.contains(I))
      continue;
    const TypeResult &T = P.Types[S.Type];
    if (T.Objects && T.Objects->DestructorKnown)
      continue; // Their objects were destroyed.
    Alive.push_back(I);
  }
  for (const SiteGroup &Line : byLine(P, Alive)) {
    if (isOneOff(P, Line))
      continue;
    Finding F = Out.of(RuleId::AliveAtEnd, Line);
    F.By = Measure::Footprint;
    F.Bytes = Line.Sum.LiveBytes;
    F.Allocations = Line.Sum.LiveAllocations;
    F.Message =
        fmt::format("{} in {} still allocated at the end", humanBytes(F.Bytes),
                    counted(F.Allocations, "block"));
    F.Advice = "free it, or give it an owner that does";
    Out.add(std::move(F), Line);
  }
}

void findUndestroyed(FindingList &Out) {
  const Profile &P = Out.P;
  if (!P.WholeRun || !endedInOrder(P) || keptToItsEnd(P))
    return;
  for (const Undestroyed &U : undestroyed(P)) {
    // exit() leaves locals and statics alive, and a process may need a single
    // object until its end.
    if (U.InLiveBlocks <= processes(P))
      continue;
    const TypeResult &T = *U.Type;
    Finding F;
    F.Rule = RuleId::NeverDestroyed;
    F.By = Measure::Footprint;
    F.Type = static_cast<size_t>(&T - P.Types.data());
    F.OfObjects = true;
    F.Sites.assign(U.LiveSites.begin(), U.LiveSites.end());
    for (const size_t Site : U.LiveSites) {
      F.Bytes += P.Sites[Site].Sum.LiveBytes;
      F.Allocations += P.Sites[Site].Sum.LiveAllocations;
    }
    F.Message = fmt::format(
        "{} of {} never destroyed, {} still allocated", humanCount(U.atLeast()),
        counted(T.Objects->constructed(), "object"), humanBytes(F.Bytes));
    F.Advice = "give them an owner: std::unique_ptr, a container, a value";
    Out.add(std::move(F), &P.Sites[U.LiveSites.front()]);
  }
}

} // namespace inmem::report
