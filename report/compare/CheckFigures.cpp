//===- CheckFigures.cpp - Figures of checks in words ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/compare/CheckReport.h"

#include "report/base/Units.h"
#include "report/names/TypeName.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>

namespace inmem::report {

/// A figure in few characters.
std::string shortFigure(const Limit &L, uint64_t Value, bool Unicode) {
  switch (nameOf(L.What).In) {
  case Dimension::Count:
    return std::to_string(Value);
  case Dimension::Bytes:
    return humanBytes(Value);
  case Dimension::Life:
    break;
  }
  return humanLifetime(Value, L.LifetimeUnit, Unicode);
}

/// A figure without loss: `1536 bytes (1.5 KiB)`.
std::string exactFigure(const Limit &L, uint64_t Value) {
  const Dimension In = nameOf(L.What).In;
  if (In == Dimension::Count)
    return std::to_string(Value);
  const bool Time =
      In == Dimension::Life && L.LifetimeUnit == Unit::Nanoseconds;
  std::string Plain = fmt::format("{} {}", Value, Time ? "ns" : "bytes");
  if (Value < (Time ? 1000u : 1024u))
    return Plain;
  return fmt::format("{} ({})", Plain, shortFigure(L, Value, false));
}

std::string locationOf(const SourceLocation &P) {
  std::string Out = P.Function.empty() ? "?" : P.Function;
  if (!P.File.empty())
    Out += "  " + P.File + (P.Line ? fmt::format(":{}", P.Line) : "");
  return Out;
}

/// Distance of a figure from its limit; both known.
uint64_t distance(const Verdict &V) {
  return V.Is == Verdict::Kind::Above ? *V.Value - *V.Of->Max
                                      : *V.Of->Min - V.Value.value_or(0);
}

uint64_t bound(const Verdict &V) {
  return V.Is == Verdict::Kind::Above ? *V.Of->Max : *V.Of->Min;
}

/// A contributor's change since before: `+3`.
std::string changeOf(const Limit &L, const Contributor &C, bool Unicode) {
  const uint64_t Before = C.Before.value_or(0);
  return C.Value < Before ? '-' + shortFigure(L, Before - C.Value, Unicode)
                          : '+' + shortFigure(L, C.Value - Before, Unicode);
}

std::string where(const CheckResult &R, const Limit &L) {
  return L.At.Line == 0 ? "" : fmt::format("{}:{}", R.File, L.At.Line);
}

/// The site to which a broken limit is attributed: the largest contributor in
/// the program's files, otherwise the largest contributor.
static const Contributor *siteOf(const Verdict &V) {
  const auto Own = std::ranges::find_if(V.From, [](const Contributor &C) {
    return !C.Where.File.empty() && !isSystemPath(C.Where.File);
  });
  return Own != V.From.end() ? &*Own : V.From.empty() ? nullptr : &V.From[0];
}

/// Excess as a multiple of the limit; -1 if unknown.
static double excess(const Verdict &V) {
  if (V.Is == Verdict::Kind::Unknown)
    return -1;
  const auto Bound = static_cast<double>(bound(V));
  return Bound > 0 ? static_cast<double>(distance(V)) / Bound
                   : std::numeric_limits<double>::infinity();
}

std::vector<Cause> causesOf(const RunVerdicts &Of) {
  std::vector<const Verdict *> Broken;
  for (const Verdict &V : Of.All)
    if (!V.holds())
      Broken.push_back(&V);
  std::ranges::stable_sort(Broken, std::ranges::greater{},
                           [](const Verdict *V) { return excess(*V); });
  std::vector<Cause> Out;
  // Limits without a site share one cause if they have the same subject and
  // reason.
  std::map<std::tuple<std::string, std::string, uint32_t>, size_t> Known;
  for (const Verdict *V : Broken) {
    const Contributor *From = siteOf(*V);
    const auto [Row, First] = Known.try_emplace(
        From ? std::tuple(From->Where.Function, From->Where.File,
                          From->Where.Line)
             : std::tuple(V->Of->Of.str(), '\n' + V->Reason, 0u),
        Out.size());
    if (First)
      Out.push_back({From, {}});
    Out[Row->second].Broken.push_back(V);
  }
  return Out;
}

std::string excessOf(const Verdict &V, bool Unicode) {
  if (V.Is == Verdict::Kind::Unknown)
    return {};
  const char Sign = V.Is == Verdict::Kind::Above ? '+' : '-';
  if (bound(V) == 0)
    return Sign + shortFigure(*V.Of, distance(V), Unicode);
  const double Percent = 100 * excess(V);
  if (Percent >= 999.5) // a factor reads better than +39900 %
    return humanCount(static_cast<uint64_t>(std::min(excess(V) + 1.5, 9e15))) +
           (Unicode ? " ×" : " x");
  return Percent < 0.05    ? fmt::format("{}<0.1 %", Sign)
         : Percent < 99.95 ? fmt::format("{}{:.1f} %", Sign, Percent)
                           : fmt::format("{}{:.0f} %", Sign, Percent);
}

} // namespace inmem::report
