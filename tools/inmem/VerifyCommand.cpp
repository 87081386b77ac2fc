//===- VerifyCommand.cpp - inmem verify-optimization ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs two programs alternately and judges them by the kernel's counts. Judges
// two traces by whether the blocks of the second live as the first predicts.
// With a third program, which is recorded, shows both results.
//
//===----------------------------------------------------------------------===//
#include "Verify.h"
#include "cli/Command.h"
#include "cli/Output.h"
#include "cli/Terminal.h"
#include "files/Inputs.h"
#include "live/Measure.h"
#include "report/formats/JsonParts.h"
#include "report/text/OptimizeText.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <unistd.h>

namespace inmem::tools {

namespace {

using report::Json;
using report::ProgramRuns;

/// True if the file starts like a program.
trace::Result<bool> isProgram(const std::string &Path) {
  std::FILE *From = std::fopen(Path.c_str(), "r");
  if (!From)
    return trace::Status::error(Path, std::string("cannot open: ") +
                                          std::strerror(errno));
  char Magic[4] = {};
  const size_t Count = std::fread(Magic, 1, sizeof Magic, From);
  const int Error = std::ferror(From) ? errno : 0;
  std::fclose(From);
  if (Error == EISDIR)
    return trace::Status::error(
        Path, "expected a program or a trace, found a directory");
  if (Error != 0)
    return trace::Status::error(Path, std::string("cannot read: ") +
                                          std::strerror(Error));
  const std::string_view Begin(Magic, Count);
  return Begin.starts_with("\x7f"
                           "ELF") ||
         Begin.starts_with("#!");
}

/// A program's command line. A name without a folder is a file in the current
/// folder, as elsewhere on this command line, and is not looked up in PATH.
std::vector<std::string> commandLineOf(const VerifyState &S,
                                       const std::string &Program) {
  std::vector<std::string> Out = {
      Program.find('/') == std::string::npos ? "./" + Program : Program};
  Out.insert(Out.end(), S.Arguments.begin(), S.Arguments.end());
  return Out;
}

report::Style styleOf(const VerifyState &S) {
  return styleFor(S.Output.empty() ? fileno(stdout) : -1, S.Colour);
}

Json head(const VerifyState &S, const char *Kind) {
  return {{"schema", "inmem-verify/1"},
          {"kind", Kind},
          {"old", S.Old},
          {"new", S.New},
          {"tolerance_percent", S.Tolerance}};
}

std::optional<Outcome> measureBoth(const VerifyState &S, ProgramRuns &M) {
  const Progress Working("running both programs");
  for (size_t Run = 0; Run < S.Runs; ++Run)
    for (const bool IsNew : {false, true}) {
      const auto Cost = measureRun(commandLineOf(S, IsNew ? S.New : S.Old));
      if (!Cost)
        return Outcome::unreadable(Cost.status());
      M.add(IsNew, *Cost);
    }
  M.finish();
  // Both are the same program on the same input. One that places blocks has its
  // own malloc, so it cannot be recorded.
  M.Live = measureLive(commandLineOf(S, S.Old));
  if (!M.Live)
    M.Live = measureLive(commandLineOf(S, S.New));
  return std::nullopt;
}

/// Runs the recorded program with the options of the runs that predict.
std::optional<Outcome> recordNow(const VerifyState &S, CodeFiles &Code,
                                 Predictions &P, ProgramRuns &M) {
  const std::string Options =
      "stacks=" + std::to_string(P.Old.Depth) + ":clock=" +
      (P.Old.Clock == trace::ClockKind::Events  ? "events"
       : P.Old.Clock == trace::ClockKind::Exact ? "exact"
                                                : "auto");
  const auto Run = recordRun(commandLineOf(S, S.Recorded), Options);
  if (!Run)
    return Outcome::unreadable(Run.status());
  if (Run->Traces.empty())
    return Outcome{kUnreadable, S.Recorded +
                                    ": expected a program compiled with inmem, "
                                    "found one that writes no trace"};
  if (!M.Live)
    M.Live = Run->Live;
  return P.compare(Run->Traces, S.Recorded, Code);
}

Outcome verifyPrograms(const VerifyState &S, std::string &Text) {
  CodeFiles Code({});
  ProgramRuns M;
  Predictions P;
  const bool Predicted = !S.Recorded.empty();
  // Report unreadable files before running programs.
  if (Predicted)
    if (auto Failure = P.readOld(S.Trained, Code))
      return *Failure;
  if (auto Failure = measureBoth(S, M))
    return *Failure;
  if (Predicted)
    if (auto Failure = recordNow(S, Code, P, M))
      return *Failure;
  const bool Worse = M.worse(S.Tolerance) || (Predicted && !P.Checked.hold());
  if (S.Format == TextOrJson::Json) {
    Json Out = head(S, "programs");
    Out.update(report::programsJson(M, S.Runs, S.Tolerance));
    Out["trained"] = S.Trained;
    Out["recorded"] = Predicted ? Json(S.Recorded) : Json(nullptr);
    Out["predictions"] = Predicted
                             ? report::printPredictionsJson(P.Checked, P.Notes)
                             : Json(nullptr);
    Out["worse"] = Worse;
    Text = report::jsonText(Out);
  } else {
    const report::Style Style = styleOf(S);
    Text =
        report::printPrograms(M, S.Runs, S.Tolerance, Style) +
        (Predicted ? report::printPredictions(P.Checked, P.Notes, S.Top, Style)
                   : "");
  }
  return {Worse ? kFound : kDone, {}};
}

Outcome verifyTraces(const VerifyState &S, std::string &Text) {
  CodeFiles Code({});
  Predictions P;
  if (auto Failure = P.readOld({S.Old}, Code))
    return *Failure;
  const auto New = readInputs({S.New});
  if (!New)
    return Outcome::unreadable(New.status());
  if (auto Failure = P.compare(*New, S.New, Code))
    return *Failure;
  const bool Worse = !P.Checked.hold() ||
                     report::peakVerdict(P.Old, P.New, S.Tolerance) == "worse";
  if (S.Format == TextOrJson::Json) {
    Json Out = head(S, "traces");
    Out["figures"] = report::recordedJson(P.Old, P.New, S.Tolerance);
    Out["predictions"] = report::printPredictionsJson(P.Checked, P.Notes);
    Out["worse"] = Worse;
    Text = report::jsonText(Out);
  } else {
    const report::Style Style = styleOf(S);
    Text = report::printRecorded(P.Old, P.New, S.Tolerance, Style) +
           report::printPredictions(P.Checked, P.Notes, S.Top, Style);
  }
  return {Worse ? kFound : kDone, {}};
}

Outcome wrongUsage(const std::string &Text) {
  return Outcome::usage("verify-optimization: " + Text);
}

/// The first error in the options that can be found without reading files.
std::optional<Outcome> checkOptions(const VerifyState &S) {
  if (S.Runs == 0)
    return Outcome::usage("--runs: expected at least 1, found 0");
  if (!std::isfinite(S.Tolerance) || S.Tolerance < 0) {
    char Found[32];
    std::snprintf(Found, sizeof Found, "%g", S.Tolerance);
    return Outcome::usage(
        std::string("--tolerance: expected a percentage of 0 or more, found ") +
        Found);
  }
  if (S.Trained.empty() != S.Recorded.empty())
    return wrongUsage("--trained TRACE and --recorded PROGRAM need each other");
  return std::nullopt;
}

Outcome verify(const VerifyState &S) {
  if (auto Wrong = checkOptions(S))
    return *Wrong;
  const auto Old = isProgram(S.Old), New = isProgram(S.New);
  for (const auto *Each : {&Old, &New})
    if (!*Each)
      return Outcome::unreadable(Each->status());
  if (*Old != *New)
    return wrongUsage(
        "expected two programs or two traces, found the program " +
        (*Old ? S.Old + " and " + S.New : S.New + " and " + S.Old) +
        ", which is none");
  if (!*Old && !S.Arguments.empty())
    return wrongUsage("arguments are for programs");
  if (!*Old && !S.Recorded.empty())
    return wrongUsage("--trained and --recorded are for programs");
  for (const std::string &Each : {S.Old, S.New, S.Recorded})
    if (*Old && !Each.empty() && access(Each.c_str(), X_OK) != 0)
      return {kUnreadable, Each + ": cannot run: " + std::strerror(errno)};
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
  App.option("OLD", S->Old, "a program, or a trace").required().reads();
  App.option("NEW", S->New, "the same kind").required().reads();
  App.option("ARG", S->Arguments, "behind --: arguments for the programs")
      .reads();
  App.option("--trained", S->Trained,
             "the trace that the profile was made of; may be repeated")
      .valueName("TRACE")
      .oneValue()
      .reads();
  App.option("--recorded", S->Recorded,
             "the program compiled to be recorded: run once, to compare it "
             "with the predictions of --trained")
      .valueName("PROGRAM")
      .reads();
  App.option("--runs", S->Runs, "runs of each program, in turn")
      .valueName("N")
      .showDefault();
  App.option("--tolerance", S->Tolerance, "regression threshold, in percent")
      .valueName("PERCENT")
      .showDefault();
  App.option("--top", S->Top, "mispredicted contexts to list; 0: all")
      .valueName("N")
      .showDefault();
  App.format(S->Format);
  addColourOption(App, S->Colour);
  App.option("-o,--output", S->Output, "write to a file")
      .valueName("FILE")
      .writes();
  App.footer(
      "Programs: resident memory, page faults and CPU time of runs in turn. "
      "Their output is\ndiscarded; they read what standard input is, if that "
      "is a file. Traces: whether\nblocks of NEW live as blocks of OLD did. "
      "Exit code 1 if NEW is worse, or less than\n90 % of the bytes were "
      "predicted right; 3 if a program fails."
      "\n\nExamples:\n"
      "  inmem verify-optimization ./app-old ./app -- test.txt\n"
      "  inmem verify-optimization ./app-old ./app --trained train.inmem "
      "--recorded ./app-rec -- test.txt\n"
      "  inmem verify-optimization train.inmem test.inmem");
  return [S]() -> Outcome { return verify(*S); };
}

} // namespace inmem::tools
