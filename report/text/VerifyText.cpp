//===- VerifyText.cpp - Figures of two programs or runs, as text ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/base/Units.h"
#include "report/text/LifetimeScale.h"
#include "report/text/OptimizeText.h"

#include <algorithm>
#include <cstdio>

namespace inmem::report {

using Kind = ProgramFigure::Kind;

static std::string changeText(double Old, double New) {
  const auto Change = changeOf(Old, New);
  if (!Change)
    return "-";
  char Text[32];
  std::snprintf(Text, sizeof Text, "%+.1f %%", *Change);
  // A change that rounds to zero has no sign.
  return std::string_view(Text) == "-0.0 %" ? "+0.0 %" : Text;
}

static std::string valueText(Kind Of, double Value) {
  switch (Of) {
  case Kind::Bytes:
    return humanBytes(static_cast<uint64_t>(Value));
  case Kind::Count:
    return humanCount(static_cast<uint64_t>(Value));
  case Kind::Seconds:
    break;
  }
  return humanLifetime(static_cast<uint64_t>(Value * 1e9), Unit::Nanoseconds,
                       true);
}

static std::string ratioText(double Ratio) {
  char Text[32];
  std::snprintf(Text, sizeof Text, "%.2f", Ratio);
  return Text;
}

static Table figureTable() {
  Table T;
  for (const char *Title : {"", "old", "new", "change", "verdict"})
    T.column({.Title = Title, .Right = *Title != 0});
  return T;
}

/// The highest reading of each part of a run; a run with fewer readings has
/// fewer parts.
static std::vector<uint64_t> partsOf(const std::vector<uint64_t> &Readings,
                                     size_t Parts) {
  std::vector<uint64_t> Out(std::min(Parts, Readings.size()));
  for (size_t I = 0; I < Readings.size(); ++I) {
    uint64_t &Highest = Out[I * Out.size() / Readings.size()];
    Highest = std::max(Highest, Readings[I]);
  }
  return Out;
}

/// Both programs on one scale, with the live bytes of their blocks.
static std::string overTime(const ProgramRuns &Of, const Style &Look) {
  if (Of.Resident[0].empty() || Of.Resident[1].empty())
    return "";
  const size_t Width = std::clamp<size_t>(Look.Width / 2, 8, 60);
  uint64_t Most = 0;
  for (const auto &Line : Of.Resident)
    Most = std::max(Most, *std::ranges::max_element(Line));
  Table T;
  T.column({.Title = "", .Right = false});
  T.column({.Title = "start to end of a run", .Right = false});
  T.column({.Title = "at the end"});
  const auto Add = [&](const char *Name, const std::vector<uint64_t> &Line) {
    if (!Line.empty())
      T.row({Name, sparkline(Look, partsOf(Line, Width), Most),
             humanBytes(Line.back())});
  };
  Add("old RSS", Of.Resident[0]);
  Add("new RSS", Of.Resident[1]);
  if (Of.Live)
    Add("live", Of.Live->Readings);
  return "\n" + paint(Look, Paint::Bold, "OVER TIME") + "\n" + T.render(Look);
}

static void addLive(const ProgramRuns &Of, Table &T) {
  for (const auto &[Title, Bytes] :
       {std::pair("peak live", Of.Live->Peak),
        std::pair("steady live", Of.Live->steadyBytes())})
    T.row({Title, humanBytes(Bytes), humanBytes(Bytes), "", "not judged"});
  const ProgramFigure &Rss = Of.steadyRss();
  if (!Rss.known())
    return;
  const double Old = pagesPerByte(Rss.Old, *Of.Live),
               New = pagesPerByte(Rss.New, *Of.Live);
  T.row({"RSS / live", ratioText(Old), ratioText(New), changeText(Old, New),
         "not judged"});
}

std::string printPrograms(const ProgramRuns &Of, size_t Runs, double Tolerance,
                          const Style &Look) {
  Table T = figureTable();
  for (const ProgramFigure &F : Of.Figures) {
    std::vector<std::string> Row = {F.Title, "?", "?", "-"};
    if (F.known()) {
      const double Old = RunFigure::median(F.Old),
                   New = RunFigure::median(F.New);
      Row = {F.Title, valueText(F.Of, Old), valueText(F.Of, New),
             changeText(Old, New)};
    }
    Row.emplace_back(F.verdict(Tolerance));
    T.row(Row);
  }
  if (Of.Live)
    addLive(Of, T);
  std::string Out = "middle of " + counted(Runs, "run") + " each\n\n" +
                    T.render(Look) + overTime(Of, Look);
  if (Of.tooShort())
    Out += "\na run takes " + valueText(Kind::Seconds, Of.Longest) +
           ", too short to judge its memory: give the programs 20 ms or more "
           "to do\n";
  if (!Of.Live)
    Out += "\nlive bytes are unknown: neither program could be recorded (it is "
           "static, has its\nown malloc, or failed)\n";
  return Out;
}

std::string printRecorded(const RecordedRuns &Old, const RecordedRuns &New,
                          double Tolerance, const Style &Look) {
  Table T = figureTable();
  const auto Row = [&](const char *Name, Kind Of, double A, double B,
                       std::string_view Verdict = "not judged") {
    T.row({Name, valueText(Of, A), valueText(Of, B), changeText(A, B),
           std::string(Verdict)});
  };
  const auto Number = [](uint64_t N) { return static_cast<double>(N); };
  if (Old.PeakBytes && New.PeakBytes)
    Row("peak live", Kind::Bytes, Number(*Old.PeakBytes),
        Number(*New.PeakBytes), peakVerdict(Old, New, Tolerance));
  else
    T.row({"peak live", humanBytes(Old.PeakBytes), humanBytes(New.PeakBytes),
           "-", "not judged"});
  Row("allocated", Kind::Bytes, Number(Old.Bytes), Number(New.Bytes));
  Row("blocks", Kind::Count, Number(Old.Blocks), Number(New.Blocks));
  Row("run time", Kind::Seconds, Old.Seconds, New.Seconds);
  return T.render(Look);
}

} // namespace inmem::report
