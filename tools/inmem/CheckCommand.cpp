//===- CheckCommand.cpp - inmem check -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ReportOptions.h"
#include "cli/Output.h"
#include "cli/Terminal.h"
#include "files/Inputs.h"
#include "files/Symbolizer.h"
#include "report/base/Units.h"
#include "report/compare/CheckReport.h"

#include <algorithm>
#include <filesystem>

namespace inmem::tools {

namespace {

struct CheckState {
  std::vector<std::string> Files, Baselines;
  std::string Budget, Output;
  TextOrJson Format = TextOrJson::Text;
  ColourMode Colour = ColourMode::Auto;
  std::string JUnit, Sarif, SourceRoot, Tolerance, Slack;
  bool Github = false, Sum = false, Learn = false, Keys = false;
  size_t Top = 20;
};

/// Computes the figures to check from the traces of one run.
trace::Result<report::RunProfile> runOf(const std::vector<std::string> &Files,
                                        const std::vector<std::string> &Phases,
                                        report::CallerResolver &Symbols) {
  const auto Traces = readInputs(Files);
  if (!Traces)
    return Traces.status();
  if (const auto Damage = firstDamage(*Traces))
    return *Damage;
  if (Traces->empty())
    return trace::Status::error(Files.front(), "holds no process");
  report::ProfileOptions Build;
  Build.Resolver = &Symbols;
  const Progress Working(kAddingUp);
  auto Whole = report::buildProfile(*Traces, Build);
  if (!Whole)
    return Whole.status();
  report::RunProfile Out;
  Out.Name = Files.size() == 1 ? Files.front()
                               : Files.front() + " and " +
                                     std::to_string(Files.size() - 1) + " more";
  Out.Whole = std::move(*Whole);
  for (const std::string &Name : Phases) {
    // Only processes that have the phase.
    std::vector<trace::Trace> Having;
    std::copy_if(Traces->begin(), Traces->end(), std::back_inserter(Having),
                 [&](const trace::Trace &T) {
                   return bool(report::findInterval(T, Name));
                 });
    if (Having.empty())
      continue;
    Build.Phase = Name;
    auto Part = report::buildProfile(Having, Build);
    if (!Part)
      return Part.status();
    Out.Phases.emplace(Name, std::move(*Part));
  }
  return Out;
}

trace::Result<std::vector<report::RunProfile>>
readRuns(const CheckState &S, const std::vector<std::string> &Phases) {
  Symbolizer Symbols;
  std::vector<report::RunProfile> Runs;
  std::vector<std::vector<std::string>> Groups;
  if (S.Sum)
    Groups.push_back(S.Files);
  else
    for (const std::string &File : S.Files)
      Groups.push_back({File});
  for (const auto &Group : Groups) {
    auto One = runOf(Group, Phases, Symbols);
    if (!One)
      return One.status();
    Runs.push_back(std::move(*One));
  }
  return Runs;
}

/// Reads a file as text.
trace::Result<std::string> readText(const std::string &Path) {
  const auto File = trace::Buffer::open(Path);
  if (!File)
    return File.status();
  return std::string(reinterpret_cast<const char *>((*File)->bytes().data()),
                     (*File)->bytes().size());
}

std::optional<Outcome> wrongUsage(const CheckState &S) {
  for (const auto &[Name, Value] :
       {std::pair("--tolerance", &S.Tolerance), std::pair("--slack", &S.Slack)})
    if (!Value->empty() && !report::parseTolerance(*Value))
      return Outcome::usage(std::string(Name) +
                            ": expected such as '5 %', 16 or '5 % + 1 KiB', "
                            "found '" +
                            *Value + "'");
  if (S.Learn && (!S.Budget.empty() || !S.Baselines.empty()))
    return Outcome::usage("--learn writes a budget (-o FILE) and takes neither "
                          "--budget nor --baseline");
  if (!S.Learn && S.Budget.empty() && S.Baselines.empty())
    return Outcome::usage("check: expected --budget FILE, --baseline OLD or "
                          "--learn");
  if (!S.Tolerance.empty() && S.Baselines.empty())
    return Outcome::usage("--tolerance needs --baseline");
  return std::nullopt;
}

Outcome learn(const CheckState &S) {
  const auto Runs = readRuns(S, {});
  if (!Runs)
    return Outcome::unreadable(Runs.status());
  report::LearnOptions Options;
  Options.Types = S.Top;
  if (!S.Slack.empty())
    Options.Slack = *report::parseTolerance(S.Slack);
  const trace::Status Done =
      writeText(S.Output, stdout, report::learnBudget(*Runs, Options));
  return Done.ok() ? Outcome{} : Outcome::unwritable(Done);
}

Outcome print(const CheckState &S, const report::CheckResult &Result) {
  const std::string Root = S.SourceRoot.empty()
                               ? std::filesystem::current_path().string()
                               : S.SourceRoot;
  trace::Status Done;
  if (!S.JUnit.empty())
    Done = writeText(S.JUnit, stdout, report::printJUnit(Result, Root));
  if (!S.Sarif.empty() && Done.ok())
    Done = writeText(S.Sarif, stdout, report::printSarif(Result, Root));
  const bool ToFile = !S.Output.empty() && S.Output != "-";
  const std::string Text =
      S.Format == TextOrJson::Json
          ? report::printCheckJson(Result)
          : report::printCheckText(
                Result, styleFor(ToFile ? -1 : fileno(stdout), S.Colour),
                S.Keys ? report::CheckRows::Keys : report::CheckRows::Causes);
  if (Done.ok())
    Done = writeText(S.Output, stdout, Text);
  if (S.Github && Done.ok())
    Done = writeText("", stdout, report::printGithub(Result, Root));
  if (!Done.ok())
    return Outcome::unwritable(Done);
  return {Result.broken() > 0 ? kFound : kDone, {}};
}

Outcome check(const CheckState &S) {
  report::Budget With;
  if (!S.Budget.empty()) {
    const auto Text = readText(S.Budget);
    if (!Text)
      return Outcome::unreadable(Text.status());
    auto Parsed = report::parseBudget(*Text, S.Budget);
    if (!Parsed)
      return Outcome::unreadable(Parsed.status());
    With = std::move(*Parsed);
  }
  if (!With.Baseline.empty() && S.Baselines.empty())
    return Outcome::usage(S.Budget + ":" +
                          std::to_string(With.Baseline.front().At.Line) +
                          ": [baseline] needs --baseline OLD.inmem");
  const auto Runs = readRuns(S, With.phases());
  if (!Runs)
    return Outcome::unreadable(Runs.status());
  std::vector<report::Profile> Old;
  Symbolizer Symbols;
  for (const std::string &File : S.Baselines) {
    auto One = runOf({File}, {}, Symbols);
    if (!One)
      return Outcome::unreadable(One.status());
    Old.push_back(std::move(One->Whole));
  }
  const auto Rules = With.Baseline.empty() || !S.Tolerance.empty()
                         ? report::defaultBaseline(*report::parseTolerance(
                               S.Tolerance.empty() ? "5 %" : S.Tolerance))
                         : With.Baseline;
  return print(S, report::check(With, *Runs, Old, Rules));
}

} // namespace

Action setUpCheck(CommandLine &App) {
  const auto S = std::make_shared<CheckState>();
  App.option("TRACE", S->Files, "traces, each a run of its own")
      .required()
      .reads();
  App.option("--budget", S->Budget, "limits, as docs/budgets.md has them")
      .valueName("FILE")
      .reads();
  App.option("--baseline", S->Baselines,
             "trace of an earlier run; may be repeated: the highest counts")
      .valueName("OLD")
      .oneValue()
      .reads();
  App.option("--tolerance", S->Tolerance,
             "how much more than the baseline is allowed, of totals and "
             "types [5 %]")
      .valueName("AMOUNT");
  App.flag("--sum", S->Sum, "all traces are one run of several processes");
  App.flag("--learn", S->Learn,
           "write a budget that the traces keep (-o FILE)");
  App.option("--slack", S->Slack,
             "with --learn: allowance on top of the highest value seen")
      .valueName("AMOUNT");
  App.option("--top", S->Top, "with --learn: number of types; 0: all")
      .valueName("N")
      .showDefault();
  App.flag("--keys", S->Keys,
           "a row for each broken limit, by its key in the budget, instead of "
           "one for each cause");
  App.format(S->Format);
  App.option("--junit", S->JUnit, "also write JUnit XML")
      .valueName("FILE")
      .writes();
  App.option("--sarif", S->Sarif, "also write SARIF 2.1.0")
      .valueName("FILE")
      .writes();
  App.flag("--github", S->Github, "also print annotations for GitHub Actions");
  App.option("--source-root", S->SourceRoot,
             "folder at which file names in SARIF and annotations start [the "
             "working directory]")
      .valueName("DIR");
  addColourOption(App, S->Colour);
  App.option("-o,--output", S->Output, "write to a file")
      .valueName("FILE")
      .writes();
  App.footer("Exit code 1 if a limit does not hold, or cannot be judged.\n\n"
             "Examples:\n"
             "  inmem check --learn -o budget.toml run1.inmem run2.inmem\n"
             "  inmem check --budget budget.toml test.inmem\n"
             "  inmem check --baseline main.inmem --tolerance '2 %' "
             "branch.inmem\n"
             "  inmem check --budget budget.toml --junit out.xml --sarif "
             "out.sarif *.inmem");
  return [S]() -> Outcome {
    if (const auto Wrong = wrongUsage(*S))
      return *Wrong;
    return S->Learn ? learn(*S) : check(*S);
  };
}

} // namespace inmem::tools
