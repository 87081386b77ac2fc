//===- LifetimeScale.cpp - Sparklines and bars ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text/LifetimeScale.h"

#include "report/base/Units.h"

#include <algorithm>
#include <cmath>

namespace inmem::report {

static double power(double Exponent) { return std::pow(10.0, Exponent); }

LifetimeScale::LifetimeScale(Unit Of, uint64_t First, uint64_t Last,
                             size_t Width)
    : In(Of) {
  const auto Decade = [](uint64_t Value) {
    return Value < 1 ? 0 : std::floor(std::log10(static_cast<double>(Value)));
  };
  Low = static_cast<unsigned>(std::min(Decade(First), 17.0));
  High = static_cast<unsigned>(std::min(Decade(Last), 18.0)) + 1;
  High = std::max(High, Low + 3);
  const size_t Decades = High - Low;
  PerDecade = Decades * 4 <= Width   ? 4
              : Decades * 3 <= Width ? 3
              : Decades * 2 <= Width ? 2
                                     : 1;
  for (unsigned I = 1; I < Decades * PerDecade; ++I)
    Edges.push_back(static_cast<uint64_t>(
        std::llround(power(Low + static_cast<double>(I) / PerDecade))));
}

std::string LifetimeScale::axis(const Style &S) const {
  const bool Life = In == Unit::Nanoseconds;
  // Name of 10^(3 i).
  const std::string Micro = S.Unicode ? "µs" : "us";
  const std::string Names[2][7] = {{"B", "kB", "MB", "GB", "TB", "PB", "EB"},
                                   {"ns", Micro, "ms", "s", "ks", "Ms", "Gs"}};
  std::string Out;
  for (unsigned D = Low; D < High; ++D) {
    const size_t At = size_t{D - Low} * PerDecade;
    // The first label may be in the middle of its unit.
    if (D % 3 != 0 && D != Low)
      continue;
    const std::string Label = (D % 3 == 0   ? "1"
                               : D % 3 == 1 ? "10"
                                            : "100") +
                              Names[Life][D / 3];
    const size_t Used = displayWidth(Out);
    if (D == Low && D % 3 != 0 &&
        displayWidth(Label) >= size_t{3 - D % 3} * PerDecade)
      continue; // a label where the unit begins
    // The last label may exceed the width by the width of its number.
    if (At + displayWidth(Label) > width() + 2 || (Used > 0 && At <= Used))
      continue;
    Out.append(At - Used, ' ');
    Out += Label;
  }
  Out.append(width() > displayWidth(Out) ? width() - displayWidth(Out) : 0,
             ' ');
  return Out;
}

std::string LifetimeScale::spark(const Style &S,
                                 const Histogram &Lifetimes) const {
  std::vector<uint64_t> Counts;
  for (const Bucket &B : Lifetimes.between(Edges))
    Counts.push_back(B.Count);
  return sparkline(S, Counts);
}

std::string sparkline(const Style &S, std::span<const uint64_t> Values,
                      uint64_t Most) {
  constexpr std::string_view kBlocks[] = {"▁", "▂", "▃", "▄",
                                          "▅", "▆", "▇", "█"};
  constexpr std::string_view kAscii[] = {".", ".", ":", "-",
                                         "=", "+", "#", "@"};
  for (const uint64_t Value : Values)
    Most = std::max(Most, Value);
  std::string Out;
  for (const uint64_t Value : Values) {
    if (Value == 0) {
      Out += ' ';
      continue;
    }
    const double Share = static_cast<double>(Value) / static_cast<double>(Most);
    const size_t Level = std::min<size_t>(
        7, static_cast<size_t>(std::ceil(Share * 8)) - (Share > 0 ? 1 : 0));
    Out += S.Unicode ? kBlocks[Level] : kAscii[Level];
  }
  return Out;
}

std::vector<uint64_t> barEdges(uint64_t First, uint64_t Last) {
  const auto Log = [](uint64_t Value) {
    return Value < 1 ? 0 : std::log10(static_cast<double>(Value));
  };
  const double Span = Log(Last) - Log(First);
  const std::vector<double> Steps = Span > 5.5   ? std::vector<double>{1}
                                    : Span > 2.5 ? std::vector<double>{1, 3}
                                                 : std::vector<double>{1, 2, 5};
  std::vector<uint64_t> Edges;
  for (int Decade = static_cast<int>(Log(First)); Decade <= 19; ++Decade)
    for (const double Step : Steps) {
      const double Edge = Step * power(Decade);
      if (Edge >= 1.8e19)
        return Edges;
      Edges.push_back(static_cast<uint64_t>(std::round(Edge)));
      if (Edges.back() > Last)
        return Edges;
    }
  return Edges;
}

std::string bar(const Style &S, double Share, size_t Width) {
  const double Clamped = std::clamp(Share, 0.0, 1.0);
  std::string Out;
  if (!S.Unicode) {
    const auto Length =
        static_cast<size_t>(std::lround(Clamped * static_cast<double>(Width)));
    Out.assign(Clamped > 0 ? std::max<size_t>(Length, 1) : 0, '#');
    return Out;
  }
  constexpr std::string_view kEighths[] = {"",  "▏", "▎", "▍",
                                           "▌", "▋", "▊", "▉"};
  auto Eighths = static_cast<size_t>(
      std::lround(Clamped * static_cast<double>(Width * 8)));
  if (Clamped > 0)
    Eighths = std::max<size_t>(Eighths, 1);
  for (size_t I = 0; I < Eighths / 8; ++I)
    Out += "█";
  Out += kEighths[Eighths % 8];
  return Out;
}

} // namespace inmem::report
