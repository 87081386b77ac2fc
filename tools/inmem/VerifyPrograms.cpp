//===- VerifyPrograms.cpp - Two programs, measured in turn ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Verify.h"
#include "report/base/Units.h"
#include "report/text/LifeScale.h"

#include <algorithm>
#include <cstdio>

namespace inmem::tools {

using report::Json;

std::string changeText(double Old, double New) {
  const auto Change = report::changeOf(Old, New);
  if (!Change)
    return "-";
  char Text[32];
  std::snprintf(Text, sizeof Text, "%+.1f %%", *Change);
  // A change that rounds to nothing has no sign.
  return std::string_view(Text) == "-0.0 %" ? "+0.0 %" : Text;
}

std::string bytesText(double Bytes) {
  return report::humanBytes(static_cast<uint64_t>(Bytes));
}
std::string countText(double Count) {
  return report::humanCount(static_cast<uint64_t>(Count));
}
std::string secondsText(double Seconds) {
  return report::humanLife(static_cast<uint64_t>(Seconds * 1e9),
                           report::Unit::Nanoseconds, true);
}

/// Seconds that a run must take for its memory to be judged.
static constexpr double kShortest = 0.02;

Measured::Measured() {
  const auto Number = [](uint64_t N) { return static_cast<double>(N); };
  const auto Known = [=](std::optional<uint64_t> N) {
    return N ? std::optional(Number(*N)) : std::nullopt;
  };
  constexpr double kSmallBytes = 256 * 1024, kSmallTime = 0.02;
  All = {
      {{.Slack = kSmallBytes, .Judged = true},
       "peak_rss_bytes",
       "peak RSS",
       [=](const RunCost &C) { return Known(C.PeakBytes); },
       bytesText},
      {{.Slack = kSmallBytes, .Judged = true},
       "steady_rss_bytes",
       "steady RSS",
       [=](const RunCost &C) { return Known(C.steadyBytes()); },
       bytesText},
      // Their cost is part of the CPU time.
      {{.Slack = 0, .Judged = false},
       "page_faults",
       "page faults",
       [=](const RunCost &C) { return Number(C.Faults); },
       countText},
      {{.Slack = kSmallTime, .Judged = true},
       "cpu_seconds",
       "CPU time",
       [](const RunCost &C) { return C.CpuSeconds; },
       secondsText},
      {{.Slack = kSmallTime, .Judged = false},
       "wall_seconds",
       "wall time",
       [](const RunCost &C) { return C.WallSeconds; },
       secondsText},
  };
}

void Measured::add(bool IsNew, const RunCost &Cost) {
  Lines[IsNew] = Cost.ResidentBytes;
  for (Figure &F : All)
    if (const auto Value = F.Of(Cost))
      (IsNew ? F.New : F.Old).push_back(*Value);
}

void Measured::finish() {
  for (Figure &F : All) {
    std::ranges::sort(F.Old);
    std::ranges::sort(F.New);
  }
  // Memory of a shorter run is that of starting a program.
  const auto Wall = std::ranges::find(
      All, std::string_view("wall_seconds"),
      [](const Figure &F) { return std::string_view(F.Name); });
  Longest = std::max(Figure::median(Wall->Old), Figure::median(Wall->New));
  for (Figure &F : All)
    F.TooShort =
        Longest < kShortest && std::string_view(F.Name).ends_with("_rss_bytes");
}

bool Measured::worse(double Tolerance) const {
  return std::ranges::any_of(
      All, [=](const Figure &F) { return F.worse(Tolerance); });
}

/// Resident memory, once the program is warm, for each byte of its blocks: 1 if
/// its pages held nothing else.
static double pagesPerByte(const std::vector<double> &SteadyRss,
                           const LiveBytes &Live) {
  return Figure::median(SteadyRss) /
         static_cast<double>(std::max<uint64_t>(Live.steadyBytes(), 1));
}

static std::string ratioText(double Ratio) {
  char Text[32];
  std::snprintf(Text, sizeof Text, "%.2f", Ratio);
  return Text;
}

static const Figure &steadyRss(const std::vector<Figure> &All) {
  return *std::ranges::find(
      All, std::string_view("steady_rss_bytes"),
      [](const Figure &F) { return std::string_view(F.Name); });
}

/// The highest of each part of a run; a run of fewer readings has fewer parts.
static std::vector<uint64_t> partsOf(const std::vector<uint64_t> &Readings,
                                     size_t Parts) {
  std::vector<uint64_t> Out(std::min(Parts, Readings.size()));
  for (size_t I = 0; I < Readings.size(); ++I) {
    uint64_t &Highest = Out[I * Out.size() / Readings.size()];
    Highest = std::max(Highest, Readings[I]);
  }
  return Out;
}

/// Both programs on one scale, and the blocks that they hold.
std::string Measured::overTime(const report::Style &Style) const {
  if (Lines[0].empty() || Lines[1].empty())
    return "";
  const size_t Width = std::clamp<size_t>(Style.Width / 2, 8, 60);
  uint64_t Most = 0;
  for (const auto &Line : Lines)
    Most = std::max(Most, *std::ranges::max_element(Line));
  report::Table T;
  T.column({.Title = "", .Right = false});
  T.column({.Title = "start to end of a run", .Right = false});
  T.column({.Title = "at the end"});
  const auto Add = [&](const char *Name, const std::vector<uint64_t> &Of) {
    if (!Of.empty())
      T.row({Name, report::sparkline(Style, partsOf(Of, Width), Most),
             report::humanBytes(Of.back())});
  };
  Add("old RSS", Lines[0]);
  Add("new RSS", Lines[1]);
  if (Live)
    Add("live", Live->Readings);
  return "\n" + paint(Style, report::Paint::Bold, "OVER TIME") + "\n" +
         T.render(Style);
}

std::string Measured::text(const VerifyState &S,
                           const report::Style &Style) const {
  report::Table T;
  for (const char *Title : {"", "old", "new", "change", "verdict"})
    T.column({.Title = Title, .Right = *Title != 0});
  for (const Figure &F : All) {
    std::vector<std::string> Row = {F.Title, "?", "?", "-"};
    if (F.known())
      Row = {F.Title, F.Show(Figure::median(F.Old)),
             F.Show(Figure::median(F.New)),
             changeText(Figure::median(F.Old), Figure::median(F.New))};
    Row.emplace_back(F.verdict(S.Tolerance));
    T.row(Row);
  }
  if (Live) {
    const auto Bytes = [](uint64_t N) { return report::humanBytes(N); };
    T.row(
        {"peak live", Bytes(Live->Peak), Bytes(Live->Peak), "", "not judged"});
    T.row({"steady live", Bytes(Live->steadyBytes()),
           Bytes(Live->steadyBytes()), "", "not judged"});
    if (const Figure &Rss = steadyRss(All); Rss.known()) {
      const double Old = pagesPerByte(Rss.Old, *Live),
                   New = pagesPerByte(Rss.New, *Live);
      T.row({"RSS / live", ratioText(Old), ratioText(New), changeText(Old, New),
             "not judged"});
    }
  }
  std::string Out = "middle of " + report::counted(S.Runs, "run") +
                    " each\n\n" + T.render(Style) + overTime(Style);
  if (Longest < kShortest)
    Out += "\na run takes " + secondsText(Longest) +
           ", too short to judge its memory: give the programs 20 ms or more "
           "to do\n";
  if (!Live)
    Out += "\nlive bytes are unknown: neither program could be recorded (it is "
           "static, has its\nown malloc, or failed)\n";
  return Out;
}

Json Measured::json(const VerifyState &S) const {
  Json Out = {{"runs", S.Runs}};
  const auto Change = [](double Old, double New) {
    const auto Percent = report::changeOf(Old, New);
    return Percent ? Json(*Percent) : Json(nullptr);
  };
  for (const Figure &F : All) {
    // Bytes and counts are integers.
    const bool IsTime = std::string_view(F.Name).ends_with("_seconds");
    const auto Number = [=](double Value) {
      return IsTime ? Json(Value) : Json(static_cast<uint64_t>(Value));
    };
    const auto Runs = [&](const std::vector<double> &Values) {
      Json All = Json::array();
      for (const double Value : Values)
        All.push_back(Number(Value));
      return All;
    };
    Json &To = Out["figures"][F.Name];
    To = {{"old", nullptr}, {"new", nullptr}, {"change_percent", nullptr}};
    if (F.known())
      To = {{"old", Number(Figure::median(F.Old))},
            {"new", Number(Figure::median(F.New))},
            {"change_percent",
             Change(Figure::median(F.Old), Figure::median(F.New))}};
    To["old_runs"] = Runs(F.Old);
    To["new_runs"] = Runs(F.New);
    To["judged"] = F.Judged && F.known() && !F.TooShort;
    To["worse"] = F.worse(S.Tolerance);
    To["verdict"] = F.verdict(S.Tolerance);
  }
  Out["rss_over_time"] = {{"old", Lines[0]}, {"new", Lines[1]}};
  Out["live_bytes"] = nullptr;
  Out["rss_per_live_byte"] = nullptr;
  if (!Live)
    return Out;
  Out["live_bytes"] = {{"peak", Live->Peak},
                       {"steady", Live->steadyBytes()},
                       {"over_time", Live->Readings}};
  if (const Figure &Rss = steadyRss(All); Rss.known()) {
    const double Old = pagesPerByte(Rss.Old, *Live),
                 New = pagesPerByte(Rss.New, *Live);
    Out["rss_per_live_byte"] = {
        {"old", Old}, {"new", New}, {"change_percent", Change(Old, New)}};
  }
  return Out;
}

} // namespace inmem::tools
