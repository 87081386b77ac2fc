//===- VerifyJson.cpp - Figures of two programs or runs, as JSON ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/formats/JsonParts.h"

namespace inmem::report {

static Json figureJson(const ProgramFigure &F, double Tolerance) {
  // Bytes and counts are integers.
  const auto Number = [&](double Value) {
    return F.Of == ProgramFigure::Kind::Seconds
               ? Json(Value)
               : Json(static_cast<uint64_t>(Value));
  };
  const auto Runs = [&](const std::vector<double> &Values) {
    Json All = Json::array();
    for (const double Value : Values)
      All.push_back(Number(Value));
    return All;
  };
  Json Out = {{"old", nullptr}, {"new", nullptr}, {"change_percent", nullptr}};
  if (F.known()) {
    const double Old = RunFigure::median(F.Old), New = RunFigure::median(F.New);
    Out = {{"old", Number(Old)},
           {"new", Number(New)},
           {"change_percent", orNull(changeOf(Old, New))}};
  }
  Out["old_runs"] = Runs(F.Old);
  Out["new_runs"] = Runs(F.New);
  Out["judged"] = F.Judged && F.known() && !F.TooShort;
  Out["worse"] = F.worse(Tolerance);
  Out["verdict"] = F.verdict(Tolerance);
  return Out;
}

Json programsJson(const ProgramRuns &Of, size_t Runs, double Tolerance) {
  Json Out = {{"runs", Runs}};
  for (const ProgramFigure &F : Of.Figures)
    Out["figures"][F.Name] = figureJson(F, Tolerance);
  Out["rss_over_time"] = {{"old", Of.Resident[0]}, {"new", Of.Resident[1]}};
  Out["live_bytes"] = nullptr;
  Out["rss_per_live_byte"] = nullptr;
  if (!Of.Live)
    return Out;
  Out["live_bytes"] = {{"peak", Of.Live->Peak},
                       {"steady", Of.Live->steadyBytes()},
                       {"over_time", Of.Live->Readings}};
  if (const ProgramFigure &Rss = Of.steadyRss(); Rss.known()) {
    const double Old = pagesPerByte(Rss.Old, *Of.Live),
                 New = pagesPerByte(Rss.New, *Of.Live);
    Out["rss_per_live_byte"] = {{"old", Old},
                                {"new", New},
                                {"change_percent", orNull(changeOf(Old, New))}};
  }
  return Out;
}

Json recordedJson(const RecordedRuns &Old, const RecordedRuns &New,
                  double Tolerance) {
  const auto Pair = [](auto A, auto B,
                       std::string_view Verdict = "not judged") {
    const auto Change =
        A && B ? changeOf(static_cast<double>(*A), static_cast<double>(*B))
               : std::nullopt;
    return Json{{"old", orNull(A)},
                {"new", orNull(B)},
                {"change_percent", orNull(Change)},
                {"judged", Verdict != "not judged"},
                {"worse", Verdict == "worse"},
                {"verdict", Verdict}};
  };
  return {{"peak_live_bytes", Pair(Old.PeakBytes, New.PeakBytes,
                                   peakVerdict(Old, New, Tolerance))},
          {"allocated_bytes",
           Pair(std::optional(Old.Bytes), std::optional(New.Bytes))},
          {"allocations",
           Pair(std::optional(Old.Blocks), std::optional(New.Blocks))},
          {"wall_seconds",
           Pair(std::optional(Old.Seconds), std::optional(New.Seconds))}};
}

} // namespace inmem::report
