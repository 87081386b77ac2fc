//===- LiveHistory.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "live/LiveHistory.h"

#include "report/base/Units.h"
#include "report/text/Curve.h"

#include <algorithm>
#include <fmt/format.h>

namespace inmem::tools {

using namespace report;

void LiveHistory::add(const Moment &Now) {
  Look New;
  New.When = Now.When;
  New.Live = Now.All.liveBytes();
  for (const auto &[Name, Counts] : Now.Types) {
    const size_t Index =
        Indices.try_emplace(Name, Indices.size()).first->second;
    if (New.Types.size() <= Index)
      New.Types.resize(Index + 1);
    New.Types[Index] = Counts.liveBytes();
  }
  Looks.push_back(std::move(New));
  while (Looks.front().When < Now.When - kLongest)
    Looks.pop_front();
  if (Looks.size() <= kMost)
    return;
  // Keep the oldest and the newest.
  std::deque<Look> Half;
  for (size_t I = 0; I < Looks.size(); ++I)
    if (I % 2 == 0 || I + 1 == Looks.size())
      Half.push_back(std::move(Looks[I]));
  Looks = std::move(Half);
}

int64_t LiveHistory::grown(const std::string &Name,
                           const TypeCounts &Now) const {
  const auto At = Indices.find(Name);
  const uint64_t Before = !Looks.empty() && At != Indices.end() &&
                                  At->second < Looks.front().Types.size()
                              ? Looks.front().Types[At->second]
                              : 0;
  return static_cast<int64_t>(Now.liveBytes() -
                              (Looks.empty() ? Now.liveBytes() : Before));
}

int64_t LiveHistory::grown(const TypeCounts &All) const {
  return Looks.empty()
             ? 0
             : static_cast<int64_t>(All.liveBytes() - Looks.front().Live);
}

std::chrono::duration<double> LiveHistory::span() const {
  return Looks.empty() ? std::chrono::duration<double>(0)
                       : Looks.back().When - Looks.front().When;
}

std::vector<std::string> LiveHistory::curve(size_t Lines,
                                            const Style &S) const {
  constexpr size_t kScale = 10, kNarrowest = 30;
  if (Looks.size() < 2 || Lines < 3 || S.Width < kNarrowest)
    return {};
  // The time scale changes rarely: 1, 2, then 5 minutes.
  const double Span = span().count();
  const double Wide = Span <= 60 ? 60 : Span <= 120 ? 120 : 300;
  const size_t Columns = S.Width - kScale - 1;
  std::vector<std::optional<uint64_t>> Values(2 * Columns);
  uint64_t Top = 1;
  const Clock::time_point End = Looks.back().When;
  size_t At = 0;
  for (size_t I = 0; I < Values.size(); ++I) {
    // A column shows the highest value within it, or else the last one before
    // it.
    const double Ago = Wide * (1 - static_cast<double>(I + 1) /
                                       static_cast<double>(Values.size()));
    for (; At < Looks.size() &&
           std::chrono::duration<double>(End - Looks[At].When).count() >= Ago;
         ++At)
      Values[I] = std::max(Values[I].value_or(0), Looks[At].Live);
    if (!Values[I] && At > 0)
      Values[I] = Looks[At - 1].Live;
    Top = std::max(Top, Values[I].value_or(0));
  }
  std::vector<std::string> Out = brailleArea(Values, Lines - 1, Top, S);
  for (size_t I = 0; I < Out.size(); ++I)
    Out[I] = fmt::format("{:>{}} {}",
                         I == 0                ? humanBytes(Top)
                         : I + 1 == Out.size() ? "0 B"
                                               : "",
                         kScale, Out[I]);
  const std::string From = fmt::format("{:.0f} min ago", Wide / 60);
  const std::string Middle = "live";
  std::string Foot(Columns, ' ');
  Foot.replace(0, From.size(), From);
  Foot.replace(Columns - 3, 3, "now");
  if (Columns > From.size() + 14)
    Foot.replace(Columns / 2 - 2, Middle.size(), Middle);
  Out.push_back(std::string(kScale + 1, ' ') + Foot);
  return Out;
}

} // namespace inmem::tools
