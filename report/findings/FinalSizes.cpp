//===- FinalSizes.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/findings/FinalSizes.h"

#include <algorithm>
#include <cmath>

namespace inmem::report {

namespace {

/// The weights of one group's steps: exp(Base + Slope * size / mean + Level).
struct Fit {
  double Blocks = 0, Mean = 0;
  std::vector<double> Base; ///< lower the further a step is from the mean
  double Slope = 0, Level = 0;
};

/// The spread of sizes around a group's mean, in squared doublings. A larger
/// spread assigns several sizes to groups that have one; a smaller one takes
/// longer.
constexpr double kWidth = 0.15;

Fit fitOf(double Blocks, double Mean, std::span<const double> Steps) {
  constexpr double kInside = 1e-4; // The fit has no slope at the ends.
  Fit F;
  F.Blocks = Blocks;
  F.Mean = std::clamp(Mean, Steps.front() * (1 + kInside),
                      Steps.back() * (1 - kInside));
  for (const double Size : Steps)
    F.Base.push_back(-std::pow(std::log2(Size / F.Mean), 2) / kWidth);
  return F;
}

/// Sets slope and level so that the weights, times those in \p More, add up to
/// one, with the group's mean.
void keepMean(Fit &F, std::span<const double> Steps,
              std::span<const double> More) {
  constexpr int kMost = 60;
  constexpr double kEnough = 1e-5;
  double Low = -1e3, High = 1e3;
  std::vector<double> Log(Steps.size());
  for (int Round = 0; Round < kMost; ++Round) {
    for (size_t I = 0; I < Steps.size(); ++I)
      Log[I] = F.Base[I] + More[I] + F.Slope * Steps[I] / F.Mean;
    const double Top = *std::ranges::max_element(Log);
    double Sum = 0, First = 0, Second = 0;
    for (size_t I = 0; I < Steps.size(); ++I) {
      const double Weight = std::exp(Log[I] - Top), At = Steps[I] / F.Mean;
      Sum += Weight;
      First += Weight * At;
      Second += Weight * At * At;
    }
    F.Level = -Top - std::log(Sum);
    const double Mean = First / Sum;
    if (std::abs(Mean - 1) < kEnough)
      return;
    (Mean < 1 ? Low : High) = F.Slope;
    // Newton's step, unless it leaves the known interval.
    const double Variance = Second / Sum - Mean * Mean;
    const double Next = Variance > 0 ? F.Slope + (1 - Mean) / Variance : High;
    F.Slope = Next > Low && Next < High ? Next : (Low + High) / 2;
  }
}

/// The nearest values that never rise: rising ones are averaged.
std::vector<double> neverRising(std::span<const double> Values) {
  struct Run {
    double Mean, Length;
  };
  std::vector<Run> Runs;
  for (const double V : Values) {
    Runs.push_back({V, 1});
    for (size_t N = Runs.size(); N > 1 && Runs[N - 2].Mean < Runs[N - 1].Mean;
         N = Runs.size()) {
      const Run Last = Runs.back();
      Runs.pop_back();
      Run &To = Runs.back();
      To.Mean = (To.Mean * To.Length + Last.Mean * Last.Length) /
                (To.Length + Last.Length);
      To.Length += Last.Length;
    }
  }
  std::vector<double> Out;
  for (const Run &R : Runs)
    Out.insert(Out.end(), static_cast<size_t>(R.Length), R.Mean);
  return Out;
}

/// The number of blocks of each step. Alternates between keeping each group's
/// blocks and bytes and keeping the numbers from rising, until both hold.
std::vector<double> blocksOf(std::vector<Fit> Groups,
                             std::span<const double> Steps) {
  constexpr int kMost = 200;
  constexpr double kEnough = 1e-4, kNone = 1e-300;
  double All = 0;
  for (const Fit &F : Groups)
    All += F.Blocks;
  std::vector<double> More(Steps.size()), Before(Steps.size()), Now;
  for (int Round = 0; Round < kMost; ++Round) {
    std::vector<double> Alone(Steps.size(), kNone);
    for (Fit &F : Groups) {
      keepMean(F, Steps, More);
      for (size_t I = 0; I < Steps.size(); ++I)
        Alone[I] += F.Blocks *
                    std::exp(F.Base[I] + F.Level + F.Slope * Steps[I] / F.Mean);
    }
    Now = Alone;
    for (size_t I = 0; I < Steps.size(); ++I) {
      Now[I] *= std::exp(More[I]);
      Alone[I] = std::log(Alone[I]);
    }
    More = neverRising(Alone);
    for (size_t I = 0; I < Steps.size(); ++I)
      More[I] -= Alone[I];
    double Changed = 0;
    for (size_t I = 0; I < Steps.size(); ++I)
      Changed = std::max(Changed, std::abs(Now[I] - Before[I]));
    if (Changed < All * kEnough)
      break;
    Before = Now;
  }
  return neverRising(Now);
}

} // namespace

/// Scales the groups' blocks so that they add up to all blocks, because not all
/// lifetimes are timed. Their means stay the same.
static std::vector<Fit> fitsOf(const SizeGroups &Blocks,
                               std::span<const double> Steps,
                               const Counts &All) {
  std::vector<double> Means, Logs;
  for (const SizeGroups::Class &C : Blocks.Classes) {
    Means.push_back(C.Bytes / C.Blocks);
    Logs.push_back(std::log(C.Blocks));
  }
  const auto Count = static_cast<double>(All.Allocations);
  Fit Whole =
      fitOf(Count, static_cast<double>(All.AllocatedBytes) / Count, Means);
  Whole.Base = Logs;
  keepMean(Whole, Means, std::vector<double>(Means.size()));
  std::vector<Fit> Out;
  Out.reserve(Means.size());
  for (size_t I = 0; I < Means.size(); ++I)
    Out.push_back(fitOf(Count * std::exp(Logs[I] + Whole.Level +
                                         Whole.Slope * Means[I] / Whole.Mean),
                        Means[I], Steps));
  return Out;
}

FinalSizes::FinalSizes(const SizeGroups &Blocks, std::span<const double> Steps,
                       size_t Least, const Counts &All) {
  constexpr double kOff = 1.01; // tolerance for sizes that are not steps
  const double Largest =
      Blocks.Classes.back().Bytes / Blocks.Classes.back().Blocks;
  const auto Shown = static_cast<size_t>(
      std::ranges::lower_bound(Steps, Largest / kOff) - Steps.begin() + 1);
  Steps =
      Steps.first(std::clamp<size_t>(std::max(Shown, Least), 2, Steps.size()));
  const std::vector<double> Reached =
      blocksOf(fitsOf(Blocks, Steps, All), Steps);
  for (size_t I = 0; I < Steps.size(); ++I)
    Sizes.push_back({Steps[I], Reached[I]});
  Count = Reached.front();
}

void FinalSizes::scaleTo(double Containers) {
  for (Step &S : Sizes)
    S.Reached *= Containers / Count;
  Count = Containers;
}

double FinalSizes::endedAt(size_t I) const {
  return Sizes[I].Reached - (I + 1 < Sizes.size() ? Sizes[I + 1].Reached : 0);
}

double FinalSizes::quantile(double Part) const {
  constexpr double kRounding = 1e-3;
  double Ended = 0;
  for (size_t I = 0; I < Sizes.size(); ++I)
    if ((Ended += endedAt(I)) >= (Part - kRounding) * Count)
      return Sizes[I].Bytes;
  return Sizes.back().Bytes;
}

double FinalSizes::finalBytes() const {
  double Out = 0;
  for (size_t I = 0; I < Sizes.size(); ++I)
    Out += endedAt(I) * Sizes[I].Bytes;
  return Out;
}

FinalSizes::Sum FinalSizes::reserved(double Bytes) const {
  Sum Out{Count, Count * Bytes};
  for (const Step &S : Sizes)
    if (S.Bytes > Bytes) {
      Out.Blocks += S.Reached;
      Out.Bytes += S.Reached * S.Bytes;
    }
  return Out;
}

} // namespace inmem::report
