//===- LiveGrowth.cpp - Memory that grows ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/base/Units.h"
#include "report/findings/Rules.h"
#include "report/model/OverTime.h"
#include "report/model/ShownNames.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <functional>
#include <map>

namespace inmem::report {

namespace {

/// Types that grow for the same reason.
struct Cause {
  std::vector<TypeGrowth> Types;
  std::vector<size_t> Sites;       ///< in Profile::Sites, of these types
  std::vector<uint64_t> LiveBytes; ///< their total at each moment
  bool Unbounded = false;
};

/// Bytes gained since the first fifth of the run.
uint64_t gainOf(const Profile &P, const std::vector<uint64_t> &LiveBytes) {
  const size_t Last = lastSnapshot(P);
  const uint64_t From = LiveBytes[Last / 5];
  return LiveBytes[Last] > From ? LiveBytes[Last] - From : 0;
}

/// The site of a type that has most of its live bytes or, without those, most
/// of all bytes.
const SiteResult *mainSite(const Profile &P, size_t Type) {
  const SiteResult *Out = nullptr;
  const auto Weight = [](const SiteResult &S) {
    return std::pair(S.Sum.LiveBytes, S.Sum.AllocatedBytes);
  };
  for (const size_t I : P.Types[Type].Sites)
    if (!Out || Weight(P.Sites[I]) > Weight(*Out))
      Out = &P.Sites[I];
  return Out;
}

/// True if blocks of one type hold objects of the other, judging by the names.
bool holds(const TypeResult &Of, const TypeResult &In) {
  if (!Of.Name || !In.Name || Of.Name->starts_with("std::") ||
      Of.Name->find_first_of("<: ") == 0 || *Of.Name == *In.Name)
    return false;
  const auto IsPart = [](char C) {
    return std::isalnum(static_cast<unsigned char>(C)) || C == '_';
  };
  for (size_t At = In.Name->find(*Of.Name); At != std::string::npos;
       At = In.Name->find(*Of.Name, At + 1)) {
    const size_t End = At + Of.Name->size();
    if ((At == 0 || !IsPart((*In.Name)[At - 1])) &&
        (End == In.Name->size() || !IsPart((*In.Name)[End])))
      // Names such as `int` are part of many.
      return Of.Name->find_first_of("<:") != std::string::npos ||
             std::isupper(static_cast<unsigned char>((*Of.Name)[0])) ||
             Of.Size > sizeof(uint64_t);
  }
  return false;
}

/// The function that allocates most of a type.
std::pair<std::string, std::string> functionOf(const Profile &P, size_t Type) {
  const SiteResult *S = mainSite(P, Type);
  if (!S || isCallerUnknown(*S))
    return {"", "type " + std::to_string(Type)}; // a separate cause
  return {locationOf(*S).File, locationOf(*S).Function};
}

/// Groups types by the cause of their growth: one function allocates them, or
/// they hold each other.
std::vector<Cause> causesOf(const Profile &P) {
  // Half of a type's bytes. A type that grows from nothing has gained four
  // fifths.
  std::vector<TypeGrowth> All;
  for (TypeGrowth &G : growthOfTypes(P))
    if (G.Of.Unbounded ||
        gainOf(P, G.LiveBytes) > G.LiveBytes[lastSnapshot(P)] / 2)
      All.push_back(std::move(G));
  // Each type's cause: the lowest index of a type with the same cause.
  std::vector<size_t> Of(All.size());
  for (size_t I = 0; I < All.size(); ++I) {
    Of[I] = I;
    for (size_t K = 0; K < I; ++K) {
      const TypeResult &A = P.Types[All[I].Type], &B = P.Types[All[K].Type];
      if (Of[K] != Of[I] &&
          (functionOf(P, All[I].Type) == functionOf(P, All[K].Type) ||
           holds(A, B) || holds(B, A))) {
        const size_t To = std::min(Of[I], Of[K]), From = std::max(Of[I], Of[K]);
        std::replace(Of.begin(),
                     Of.begin() + static_cast<std::ptrdiff_t>(I) + 1, From, To);
      }
    }
  }
  std::map<size_t, Cause> Out;
  for (size_t I = 0; I < All.size(); ++I)
    Out[Of[I]].Types.push_back(std::move(All[I]));
  std::vector<Cause> Causes;
  Causes.reserve(Out.size());
  for (auto &[First, C] : Out)
    Causes.push_back(std::move(C));
  return Causes;
}

/// Adds up the types, the largest gain first.
void finish(const Profile &P, Cause &C) {
  std::ranges::stable_sort(C.Types, std::greater{}, [&](const TypeGrowth &G) {
    return gainOf(P, G.LiveBytes);
  });
  C.LiveBytes.assign(P.Timeline.size(), 0);
  for (const TypeGrowth &G : C.Types) {
    C.Unbounded |= G.Of.Unbounded;
    for (size_t I = 0; I < C.LiveBytes.size(); ++I)
      C.LiveBytes[I] += G.LiveBytes[I];
    const auto Function = functionOf(P, G.Type);
    for (const size_t Site : P.Types[G.Type].Sites)
      if (const SourceLocation &At = locationOf(P.Sites[Site]);
          std::pair(At.File, At.Function) == Function || C.Types.size() == 1)
        C.Sites.push_back(Site);
  }
}

std::vector<Sample> samplesOf(const Profile &P,
                              const std::vector<uint64_t> &LiveBytes) {
  std::vector<Sample> Out;
  for (size_t I = 0; I < P.Timeline.size(); ++I)
    if (isSnapshot(P.Timeline[I]))
      Out.push_back({P.Timeline[I].Ns, LiveBytes[I]});
  return Out;
}

} // namespace

void findUnboundedGrowth(FindingList &Out) {
  const Profile &P = Out.P;
  if (P.Timeline.empty() || !P.TimelineUnit.empty())
    return; // slopes need time as the unit
  for (Cause &C : causesOf(P)) {
    finish(P, C);
    const Growth Whole = growthOf(samplesOf(P, C.LiveBytes));
    if (!C.Unbounded && !Whole.Unbounded)
      continue;
    const TypeGrowth &First = C.Types.front();
    Finding F = Out.of(RuleId::UnboundedGrowth, First.Type);
    F.By = Measure::Footprint;
    F.Always = true;
    F.Sites = C.Sites;
    // Memory that a normal exit frees had still grown.
    F.Bytes = C.LiveBytes[lastSnapshot(P)];
    F.Allocations = 0;
    for (const size_t Site : F.Sites)
      F.Allocations += P.Sites[Site].Sum.LiveAllocations;
    F.Message = "grows without bound: " +
                humanSlope(Whole.Rise ? *Whole.Rise : *First.Of.Rise);
    if (C.Types.size() > 1)
      F.Message += fmt::format("; {} grow{} with it",
                               counted(C.Types.size() - 1, "type"),
                               C.Types.size() == 2 ? "s" : "");
    F.Advice = "find the owner: entries are added but never removed";
    Out.add(std::move(F), mainSite(P, First.Type));
  }
}

namespace {

/// The number of moments, since the type was first alive, at each of which it
/// had more bytes than before; none if it ever stayed the same or fell, or if
/// some of it was freed.
std::optional<size_t> risingMoments(const Profile &P, const TypeResult &T) {
  constexpr uint64_t kRarely = 100;
  constexpr double kStill = 0.05;
  const std::vector<uint64_t> &Bytes = T.LiveBytesAt;
  if (Bytes.size() < P.Timeline.size() ||
      T.Sum.Frees > T.Sum.Allocations / kRarely)
    return std::nullopt;
  size_t Rises = 0;
  for (size_t I = 1; I < Bytes.size(); ++I) {
    if (Bytes[I] == 0 && Bytes[I - 1] == 0)
      continue;
    if (Bytes[I] <= Bytes[I - 1])
      return std::nullopt;
    ++Rises;
  }
  if (Rises == 0 ||
      static_cast<double>(Bytes.back() - Bytes[Bytes.size() - 2]) <
          kStill * static_cast<double>(Bytes.back()))
    return std::nullopt;
  return Rises;
}

} // namespace

void findLiveGrowth(FindingList &Out) {
  const Profile &P = Out.P;
  constexpr uint64_t kMany = 1000;
  constexpr size_t kMoments = 2;
  constexpr double kMuch = 0.1;
  // unbounded-growth uses summaries instead.
  if (hasSummaries(P) || P.Totals.LiveBytes == 0)
    return;
  for (size_t Type = 0; Type < P.Types.size(); ++Type) {
    const TypeResult &T = P.Types[Type];
    const auto Rises = risingMoments(P, T);
    if (!T.Name || T.Sum.LiveAllocations < kMany || !Rises || *Rises < kMoments)
      continue;
    for (const SiteGroup &Line : byLine(P, T.Sites)) {
      if (Line.Sum.LiveAllocations < kMany ||
          static_cast<double>(Line.Sum.LiveBytes) <
              kMuch * static_cast<double>(P.Totals.LiveBytes))
        continue;
      Finding F = Out.of(RuleId::LiveGrowth, Line);
      F.By = Measure::Footprint;
      F.Bytes = Line.Sum.LiveBytes;
      F.Allocations = Line.Sum.LiveAllocations;
      F.Message = fmt::format(
          "{} alive, {} of all that is, and more at each of {} moments; {} "
          "freed",
          counted(F.Allocations, "block"),
          humanShare(F.Bytes, P.Totals.LiveBytes), *Rises,
          Line.Sum.Frees == 0 ? "none was"
                              : humanCount(Line.Sum.Frees) + " were");
      F.Advice = "check that something removes them; INMEM_OPTIONS=periodic=1 "
                 "shows whether they grow without bound";
      Out.add(std::move(F), Line);
    }
  }
}

} // namespace inmem::report
