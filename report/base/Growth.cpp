//===- Growth.cpp ---------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/base/Growth.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace inmem::report {

namespace {

/// Larger series are thinned, because all pairs of samples are compared.
constexpr size_t kMostSamples = 200;

/// At most kMostSamples, each the lowest of its neighbours.
std::vector<Sample> thinned(std::span<const Sample> All) {
  const size_t Step = (All.size() + kMostSamples - 1) / kMostSamples;
  std::vector<Sample> Out;
  for (size_t I = 0; I < All.size(); I += Step) {
    const auto Group = All.subspan(I, std::min(Step, All.size() - I));
    Out.push_back(*std::min_element(
        Group.begin(), Group.end(),
        [](const Sample &A, const Sample &B) { return A.Value < B.Value; }));
  }
  return Out;
}

/// Falls from a high to the lowest value before a rise of more than half of the
/// fall.
std::vector<uint64_t> fallsOf(std::span<const Sample> Samples) {
  std::vector<uint64_t> Out;
  uint64_t High = 0, Low = 0;
  const auto End = [&] {
    if (High > Low)
      Out.push_back(High - Low);
  };
  for (const Sample &S : Samples) {
    if (S.Value > High || S.Value - std::min(Low, S.Value) > (High - Low) / 2) {
      End();
      High = Low = S.Value;
    }
    Low = std::min(Low, S.Value);
  }
  End();
  return Out;
}

/// Either the rise exceeds every fall, or it exceeds half of the largest and
/// there were enough such falls for the low points to belong to whole rounds.
/// (Samples do not hit the lowest point of each round.)
bool outgrows(uint64_t Rise, const std::vector<uint64_t> &Falls) {
  if (Falls.empty())
    return true;
  const uint64_t Largest = *std::max_element(Falls.begin(), Falls.end());
  constexpr std::ptrdiff_t kRounds = 3;
  return Rise > Largest ||
         (Rise > Largest / 2 &&
          std::count_if(Falls.begin(), Falls.end(), [&](uint64_t Fall) {
            return Fall > Largest / 2;
          }) > kRounds);
}

/// The linearly interpolated value at a time between two samples.
double valueAt(const Sample &Before, const Sample &After, double Ns) {
  const auto From = static_cast<double>(Before.Ns);
  const auto Length = static_cast<double>(After.Ns) - From;
  const auto Low = static_cast<double>(Before.Value);
  return Length <= 0 ? Low
                     : Low + (static_cast<double>(After.Value) - Low) *
                                 (Ns - From) / Length;
}

/// The lowest values in four parts of equal time. A busy machine delays
/// samples, so a part also includes the value at its start.
std::array<uint64_t, 4> lowsOf(std::span<const Sample> Samples) {
  const auto Begin = static_cast<double>(Samples.front().Ns);
  const double Part = (static_cast<double>(Samples.back().Ns) - Begin) / 4;
  std::array<uint64_t, 4> Lows;
  size_t Next = 0;
  for (size_t I = 0; I < Lows.size(); ++I) {
    const double From = Begin + Part * static_cast<double>(I);
    Lows[I] = Next == 0
                  ? Samples[0].Value
                  : static_cast<uint64_t>(valueAt(
                        Samples[Next - 1],
                        Samples[std::min(Next, Samples.size() - 1)], From));
    for (; Next < Samples.size() &&
           (static_cast<double>(Samples[Next].Ns) < From + Part ||
            I + 1 == Lows.size());
         ++Next)
      Lows[I] = std::min(Lows[I], Samples[Next].Value);
  }
  return Lows;
}

bool growsWithoutBound(std::span<const Sample> All,
                       std::span<const Sample> Warm, const Slope &Rise) {
  const std::array<uint64_t, 4> Lows = lowsOf(Warm);
  for (size_t I = 1; I < Lows.size(); ++I)
    if (Lows[I] <= Lows[I - 1])
      return false;
  const uint64_t Gained = Lows[3] - Lows[0];
  // It does not level off: the last step is at least 3/4 of the mean step.
  if ((Lows[3] - Lows[2]) * 4 < Gained)
    return false;
  uint64_t Most = 0;
  for (const Sample &S : All)
    Most = std::max(Most, S.Value);
  return Rise.Low > 0 && Gained >= std::max<uint64_t>(Most / 100, 1024) &&
         outgrows(Gained, fallsOf(All));
}

} // namespace

std::optional<Slope> slopeOf(std::span<const Sample> Samples) {
  std::vector<double> Slopes;
  for (size_t I = 0; I < Samples.size(); ++I)
    for (size_t K = I + 1; K < Samples.size(); ++K)
      if (Samples[K].Ns > Samples[I].Ns)
        Slopes.push_back((static_cast<double>(Samples[K].Value) -
                          static_cast<double>(Samples[I].Value)) *
                         1e9 /
                         static_cast<double>(Samples[K].Ns - Samples[I].Ns));
  if (Slopes.empty())
    return std::nullopt;
  std::sort(Slopes.begin(), Slopes.end());
  const auto Count = static_cast<double>(Slopes.size());
  const auto N = static_cast<double>(Samples.size());
  constexpr double kNormal99 = 2.576;
  const double Width = kNormal99 * std::sqrt(N * (N - 1) * (2 * N + 5) / 18);
  const auto At = [&](double Rank) {
    return Slopes[static_cast<size_t>(std::clamp(Rank, 1.0, Count) - 1)];
  };
  const size_t Half = Slopes.size() / 2;
  const double Middle =
      Slopes.size() % 2 ? Slopes[Half] : (Slopes[Half - 1] + Slopes[Half]) / 2;
  return Slope{Middle, At((Count - Width) / 2), At((Count + Width) / 2 + 1)};
}

Growth growthOf(std::span<const Sample> Samples) {
  Growth Out;
  if (Samples.size() < kLeastSamples)
    return Out;
  const std::vector<Sample> All = thinned(Samples);
  const auto Warm = std::span(All).subspan(All.size() / 5);
  Out.Rise = slopeOf(Warm);
  Out.Unbounded = Out.Rise && growsWithoutBound(All, Warm, *Out.Rise);
  return Out;
}

} // namespace inmem::report
