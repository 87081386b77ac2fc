//===- VerifyCommand.cpp - inmem verify-optimization ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two programs are run in turn and judged by what the kernel counts; two traces
// by whether the blocks of the second live as the first predicts.
//
//===----------------------------------------------------------------------===//
#include "CodeFiles.h"
#include "Command.h"
#include "Inputs.h"
#include "Measure.h"
#include "Output.h"
#include "report/formats/Json.h"
#include "report/names/TypeName.h"
#include "report/optimize/Held.h"
#include "report/text/Units.h"

#include <algorithm>
#include <cstdio>
#include <functional>

namespace inmem::tools {

namespace {

using report::Json;

struct VerifyState {
  std::string Old, New;
  std::vector<std::string> Arguments; ///< of the programs
  std::string Format = "text", Output, Colour = "auto";
  size_t Runs = 5, Top = 10;
  double Tolerance = 2;
};

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// A figure of both programs, over all runs.
struct Figure {
  const char *Name, *Title;
  /// Differences up to this are never judged.
  double Slack;
  bool Judged;
  std::function<double(const RunCost &)> Of;
  std::function<std::string(double)> Show;
  std::vector<double> Old = {}, New = {}; ///< sorted

  static double median(const std::vector<double> &V) { return V[V.size() / 2]; }
  /// The middle run is worse, and nearly all are worse than the middle old one.
  bool worse(double Tolerance) const {
    const double Before = median(Old), After = median(New);
    return Judged && After > Before * (1 + Tolerance / 100) &&
           After > Before + Slack && New[New.size() / 4] > Before;
  }
};

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

std::vector<Figure> figures() {
  const auto Bytes = [](uint64_t N) { return static_cast<double>(N); };
  constexpr double kSmallBytes = 256 * 1024, kSmallTime = 0.02;
  return {
      {"peak_rss_bytes", "peak RSS", kSmallBytes, true,
       [=](const RunCost &C) { return Bytes(C.PeakBytes); }, bytesText},
      {"steady_rss_bytes", "steady RSS", kSmallBytes, true,
       [=](const RunCost &C) { return Bytes(C.steadyBytes()); }, bytesText},
      // What they cost is in the CPU time.
      {"page_faults", "page faults", 64, false,
       [=](const RunCost &C) { return Bytes(C.Faults); }, countText},
      {"cpu_seconds", "CPU time", kSmallTime, true,
       [](const RunCost &C) { return C.CpuSeconds; }, secondsText},
      {"wall_seconds", "wall time", kSmallTime, false,
       [](const RunCost &C) { return C.WallSeconds; }, secondsText},
  };
}

std::string percent(double Old, double New) {
  char Text[32];
  if (Old <= 0)
    return "-";
  std::snprintf(Text, sizeof Text, "%+.1f %%", (New / Old - 1) * 100);
  return Text;
}

/// Resident memory, once the program is warm, for each byte of its blocks: 1 if
/// its pages held nothing else.
double pagesPerByte(const std::vector<double> &SteadyRss,
                    const LiveBytes &Live) {
  return Figure::median(SteadyRss) /
         static_cast<double>(std::max<uint64_t>(Live.steadyBytes(), 1));
}

std::string ratioText(double Ratio) {
  char Text[32];
  std::snprintf(Text, sizeof Text, "%.2f", Ratio);
  return Text;
}

const Figure &steadyRss(const std::vector<Figure> &All) {
  return *std::ranges::find(
      All, std::string_view("steady_rss_bytes"),
      [](const Figure &F) { return std::string_view(F.Name); });
}

/// What both programs are measured by, and what both have allocated.
struct Measured {
  std::vector<Figure> All = figures();
  std::vector<uint64_t> Lines[2]; ///< RSS over time, of the last runs
  std::optional<LiveBytes> Live;  ///< of the program that could be recorded

  bool worse(double Tolerance) const {
    return std::ranges::any_of(
        All, [=](const Figure &F) { return F.worse(Tolerance); });
  }
};

std::string programsText(const VerifyState &S, const Measured &M,
                         const report::Style &Style) {
  report::Table T;
  for (const char *Title : {"", "old", "new", "change", "verdict"})
    T.column({.Title = Title, .Right = *Title != 0});
  for (const Figure &F : M.All) {
    const double Old = Figure::median(F.Old), New = Figure::median(F.New);
    T.row({F.Title, F.Show(Old), F.Show(New), percent(Old, New),
           !F.Judged              ? "not judged"
           : F.worse(S.Tolerance) ? "worse"
           : New < Old            ? "better"
                                  : "same"});
  }
  if (M.Live) {
    const Figure &Rss = steadyRss(M.All);
    const double Old = pagesPerByte(Rss.Old, *M.Live),
                 New = pagesPerByte(Rss.New, *M.Live);
    const std::string Bytes = report::humanBytes(M.Live->steadyBytes());
    T.row({"steady live", Bytes, Bytes, "", "not judged"});
    T.row({"RSS / live", ratioText(Old), ratioText(New), percent(Old, New),
           "not judged"});
  }
  return "middle of " + report::counted(S.Runs, "run") + " each\n\n" +
         T.render(Style);
}

Json programsJson(const VerifyState &S, const Measured &M) {
  Json Out = {{"schema", "inmem-verify/1"},
              {"kind", "programs"},
              {"old", S.Old},
              {"new", S.New},
              {"runs", S.Runs},
              {"tolerance_percent", S.Tolerance}};
  for (const Figure &F : M.All)
    Out["figures"][F.Name] = {{"old", Figure::median(F.Old)},
                              {"new", Figure::median(F.New)},
                              {"old_runs", F.Old},
                              {"new_runs", F.New},
                              {"judged", F.Judged},
                              {"worse", F.worse(S.Tolerance)}};
  Out["rss_over_time"] = {{"old", M.Lines[0]}, {"new", M.Lines[1]}};
  Out["live_bytes"] = nullptr;
  Out["rss_per_live_byte"] = nullptr;
  if (M.Live) {
    const Figure &Rss = steadyRss(M.All);
    Out["live_bytes"] = {{"peak", M.Live->Peak},
                         {"steady", M.Live->steadyBytes()},
                         {"over_time", M.Live->Readings}};
    Out["rss_per_live_byte"] = {{"old", pagesPerByte(Rss.Old, *M.Live)},
                                {"new", pagesPerByte(Rss.New, *M.Live)}};
  }
  Out["worse"] = M.worse(S.Tolerance);
  return Out;
}

Outcome verifyPrograms(const VerifyState &S, std::string &Text) {
  Measured M;
  const auto CommandOf = [&S](const std::string &Program) {
    std::vector<std::string> Out = S.Arguments;
    Out.insert(Out.begin(), Program);
    return Out;
  };
  for (size_t Run = 0; Run < S.Runs; ++Run)
    for (const int Which : {0, 1}) {
      const auto Cost = measureRun(CommandOf(Which ? S.New : S.Old));
      if (!Cost)
        return Outcome::unreadable(Cost.status());
      M.Lines[Which] = Cost->ResidentBytes;
      for (Figure &F : M.All)
        (Which ? F.New : F.Old).push_back(F.Of(*Cost));
    }
  for (Figure &F : M.All) {
    std::ranges::sort(F.Old);
    std::ranges::sort(F.New);
  }
  // Both are the same program on the same input. A placed one has its own
  // malloc, and is not seen.
  M.Live = measureLive(CommandOf(S.Old));
  if (!M.Live)
    M.Live = measureLive(CommandOf(S.New));
  Text = S.Format == "json"
             ? programsJson(S, M).dump(2) + '\n'
             : programsText(
                   S, M,
                   styleFor(S.Output.empty() ? fileno(stdout) : -1, S.Colour));
  return {M.worse(S.Tolerance) ? kFound : kDone, {}};
}

//===----------------------------------------------------------------------===//
// Traces
//===----------------------------------------------------------------------===//

/// What a trace says of a whole run.
struct Run {
  report::LifeProfile Lives;
  uint64_t PeakBytes = 0, Blocks = 0, Bytes = 0;
  double Seconds = 0;
};

trace::Result<Run> readRun(const std::string &File, CodeFiles &Code) {
  const auto Traces = readInputs({File});
  if (!Traces)
    return Traces.status();
  if (const auto Damage = firstDamage(*Traces))
    return *Damage;
  Run Out;
  for (const trace::Trace &T : *Traces) {
    Out.Lives.add(T, Code);
    Out.PeakBytes +=
        static_cast<uint64_t>(std::max<int64_t>(T.Process.Peak, 0));
    for (const trace::Entry &E : T.Entries)
      if (T.site(E.Site).ofBlocks()) {
        Out.Blocks += E.Totals.Allocations - E.Totals.MovedOut;
        Out.Bytes += E.Totals.Bytes - E.Totals.MovedOutBytes;
      }
    Out.Seconds += report::millisecondsOf(T.Header) / 1e3;
  }
  return Out;
}

std::string placeText(const report::CodeStack &Stack) {
  const report::CodeFrame &F = Stack.front();
  std::string Out =
      report::demangle(F.Function) + ":+" + std::to_string(F.LineOffset);
  if (Stack.size() > 1)
    Out += " < " + report::demangle(Stack[1].Function);
  return Out;
}

std::string tracesText(const VerifyState &S, const Run &Old, const Run &New,
                       const report::Held &Held, const report::Style &Style) {
  report::Table Sums;
  for (const char *Title : {"", "old", "new", "change"})
    Sums.column({.Title = Title, .Right = *Title != 0});
  const auto Row = [&](const char *Name, double A, double B, auto Show) {
    Sums.row({Name, Show(A), Show(B), percent(A, B)});
  };
  const auto Number = [](uint64_t N) { return static_cast<double>(N); };
  Row("peak live", Number(Old.PeakBytes), Number(New.PeakBytes), bytesText);
  Row("allocated", Number(Old.Bytes), Number(New.Bytes), bytesText);
  Row("blocks", Number(Old.Blocks), Number(New.Blocks), countText);
  Row("run time", Old.Seconds, New.Seconds, secondsText);
  const uint64_t Known = Held.Kept.Bytes + Held.Missed.Bytes;
  std::string Out =
      Sums.render(Style) + "\nPREDICTIONS\n  held for " +
      report::humanShare(Held.Kept.Bytes, Known) + " of the bytes, " +
      report::counted(Held.Kept.Contexts, "context") + " of " +
      std::to_string(Held.Kept.Contexts + Held.Missed.Contexts) + '\n';
  if (Held.Unknown.Contexts > 0)
    Out += "  nothing was predicted for " +
           report::counted(Held.Unknown.Contexts, "context") + " with " +
           report::humanBytes(Held.Unknown.Bytes) + '\n';
  report::Table Missed;
  for (const char *Title : {"bytes", "blocks", "predicted", "was"})
    Missed.column({.Title = Title, .Right = true});
  Missed.column({.Title = "context", .Right = false, .Flexible = true});
  size_t Left = S.Top;
  for (const report::HeldContext &C : Held.Contexts)
    if (!C.held() && Left > 0) {
      --Left;
      Missed.row({report::humanBytes(C.Lives.Bytes),
                  report::humanCount(C.Lives.Blocks),
                  std::string(nameOf(C.Predicted)),
                  std::string(nameOf(C.Lives.lifeClass())),
                  report::printable(Style, placeText(C.Stack))});
    }
  if (!Missed.empty())
    Out += "\nNOT AS PREDICTED\n" + Missed.render(Style);
  return Out;
}

Json tracesJson(const VerifyState &S, const Run &Old, const Run &New,
                const report::Held &Held, bool Worse) {
  const auto Pair = [](auto A, auto B) { return Json{{"old", A}, {"new", B}}; };
  const auto Sum = [](const report::HeldSum &H) {
    return Json{
        {"contexts", H.Contexts}, {"blocks", H.Blocks}, {"bytes", H.Bytes}};
  };
  Json Out = {{"schema", "inmem-verify/1"},
              {"kind", "traces"},
              {"old", S.Old},
              {"new", S.New},
              {"tolerance_percent", S.Tolerance}};
  Out["figures"] = {{"peak_live_bytes", Pair(Old.PeakBytes, New.PeakBytes)},
                    {"allocated_bytes", Pair(Old.Bytes, New.Bytes)},
                    {"allocations", Pair(Old.Blocks, New.Blocks)},
                    {"wall_seconds", Pair(Old.Seconds, New.Seconds)}};
  Json Contexts = Json::array();
  for (const report::HeldContext &C : Held.Contexts) {
    Json Frames = Json::array();
    for (const report::CodeFrame &F : C.Stack)
      Frames.push_back({{"function", F.Function},
                        {"line_offset", F.LineOffset},
                        {"column", F.Column},
                        {"inlined", F.Inlined}});
    Contexts.push_back({{"frames", Frames},
                        {"predicted", nameOf(C.Predicted)},
                        {"was", nameOf(C.Lives.lifeClass())},
                        {"held", C.held()},
                        {"blocks", C.Lives.Blocks},
                        {"bytes", C.Lives.Bytes}});
  }
  Out["predictions"] = {{"held", Sum(Held.Kept)},
                        {"missed", Sum(Held.Missed)},
                        {"unknown", Sum(Held.Unknown)},
                        {"held_share", Held.share()},
                        {"contexts", Contexts}};
  Out["worse"] = Worse;
  return Out;
}

Outcome verifyTraces(const VerifyState &S, std::string &Text) {
  CodeFiles Code({});
  const auto Old = readRun(S.Old, Code);
  if (!Old)
    return Outcome::unreadable(Old.status());
  const auto New = readRun(S.New, Code);
  if (!New)
    return Outcome::unreadable(New.status());
  const report::Held Held = compareLives(Old->Lives, New->Lives);
  // A prediction is worth something where nine of ten bytes keep it. Peaks can
  // be compared where both have done the same work.
  constexpr double kEnough = 0.9, kSame = 0.01;
  const auto Above = [](uint64_t A, uint64_t B, double Share) {
    return static_cast<double>(A) > static_cast<double>(B) * (1 + Share);
  };
  const bool SameWork = !Above(New->Bytes, Old->Bytes, kSame) &&
                        !Above(Old->Bytes, New->Bytes, kSame);
  const bool Worse =
      Held.share() < kEnough ||
      (SameWork && Above(New->PeakBytes, Old->PeakBytes, S.Tolerance / 100));
  Text = S.Format == "json"
             ? tracesJson(S, *Old, *New, Held, Worse).dump(2) + '\n'
             : tracesText(
                   S, *Old, *New, Held,
                   styleFor(S.Output.empty() ? fileno(stdout) : -1, S.Colour));
  return {Worse ? kFound : kDone, {}};
}

/// Whether the file begins as a program does; nothing if it cannot be read.
std::optional<bool> isProgram(const std::string &Path) {
  std::FILE *From = std::fopen(Path.c_str(), "r");
  if (!From)
    return std::nullopt;
  char Magic[4] = {};
  const size_t Count = std::fread(Magic, 1, sizeof Magic, From);
  std::fclose(From);
  const std::string_view Begin(Magic, Count);
  return Begin.starts_with("\x7f"
                           "ELF") ||
         Begin.starts_with("#!");
}

Outcome verify(const VerifyState &S) {
  if (S.Format != "text" && S.Format != "json")
    return Outcome::usage("--format: expected text or json, found '" +
                          S.Format + "'");
  if (S.Runs == 0)
    return Outcome::usage("--runs: expected at least 1, found 0");
  const auto Old = isProgram(S.Old), New = isProgram(S.New);
  for (const auto &[Known, Path] :
       {std::pair(Old, S.Old), std::pair(New, S.New)})
    if (!Known)
      return {kUnreadable, Path + ": cannot open"};
  if (*Old != *New)
    return Outcome::usage("verify-optimization: expected two programs or two "
                          "traces, found one of each");
  if (!*Old && !S.Arguments.empty())
    return Outcome::usage("verify-optimization: arguments are for programs");
  std::string Text;
  Outcome Out = *Old ? verifyPrograms(S, Text) : verifyTraces(S, Text);
  if (!Out.Message.empty())
    return Out;
  const auto Done = writeText(S.Output, stdout, Text);
  return Done.ok() ? Out : Outcome::unwritable(Done);
}

} // namespace

Action setUpVerify(CommandLine &App) {
  const auto S = std::make_shared<VerifyState>();
  App.option("OLD", S->Old, "a program, or a trace").required();
  App.option("NEW", S->New, "the same kind").required();
  App.option("ARG", S->Arguments, "behind --: arguments for both programs");
  App.option("--runs", S->Runs, "runs of each program, in turn")
      .valueName("N")
      .showDefault();
  App.option("--tolerance", S->Tolerance,
             "how much more is not yet worse, in %")
      .valueName("PERCENT")
      .showDefault();
  App.option("--top", S->Top, "contexts that were not as predicted")
      .valueName("N")
      .showDefault();
  App.option("--format", S->Format, "text or json")
      .valueName("NAME")
      .showDefault();
  App.option("--color", S->Colour, "auto, always or never")
      .oneOf({"auto", "always", "never"})
      .valueName("WHEN")
      .showDefault();
  App.option("-o,--output", S->Output, "write to a file").valueName("FILE");
  App.footer(
      "Programs: resident memory, page faults and CPU time of runs in turn. "
      "Traces: whether\nblocks of NEW live as those of OLD say. Exit code 1 if "
      "NEW is worse, or less than\n90 % of its bytes were predicted right."
      "\n\nExamples:\n"
      "  inmem verify-optimization ./app-old ./app -- test.txt\n"
      "  inmem verify-optimization train.inmem test.inmem");
  return [S]() -> Outcome { return verify(*S); };
}

} // namespace inmem::tools
