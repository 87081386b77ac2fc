//===- ReportRequest.cpp - Traces and a request to a report ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ReportRequest.h"

#include "Steps.h"
#include "cli/Output.h"
#include "cli/Terminal.h"
#include "files/Inputs.h"
#include "files/SourceFiles.h"
#include "files/Symbolizer.h"
#include "report/formats/Reports.h"
#include "report/model/OverTime.h"
#include "report/model/PartRows.h"
#include "report/model/Phases.h"
#include "report/text/TextReport.h"

#include <algorithm>

namespace inmem::tools {

using namespace report;

std::optional<Outcome>
PartRequest::apply(const std::vector<trace::Trace> &Traces,
                   ProfileOptions &Build) const {
  Build.ThreadGlobs = ThreadGlobs;
  Build.Phase = Phase;
  if (Lived.empty() || Traces.empty())
    return std::nullopt;
  const Unit In = Grid(Traces.front().Header).unit();
  Build.Lived = In == Unit::Nanoseconds ? Times : Sizes;
  if (!Build.Lived)
    return Outcome::usage("--lived: '" + Lived + "' is not a range of " +
                          (In == Unit::Nanoseconds
                               ? "times"
                               : "sizes in bytes (the clock is events)"));
  return std::nullopt;
}

/// Error message if the traces lack something that the options need.
static std::optional<std::string>
missing(const std::vector<trace::Trace> &Traces, const Profile &P,
        const View &V) {
  const auto None = [&](auto Has) { return std::ranges::none_of(Traces, Has); };
  if (V.shows(By::Phase) && P.Phases.empty())
    return "--by phase: the trace has no phases "
           "(inmem_phase() in the program begins one)";
  if (V.shows(By::Time) && P.Timeline.empty())
    return "--by time: no summaries over time in this one trace "
           "(INMEM_OPTIONS=periodic=SECONDS writes them), or only a part of it "
           "was chosen";
  if (V.shows(By::Cpu) && P.SamplesOfWholeRun)
    return "--by cpu: " + std::string(report::kSamplesOfWholeRun);
  if (V.shows(By::Cpu) && !P.Samples)
    return "--by cpu: the trace has no samples "
           "(INMEM_OPTIONS=profile=1ms:profile_clock=cpu takes them)";
  if (V.shows(By::Field) && !P.FieldsKnown)
    return "--by field: no accesses were counted (compile with "
           "-fplugin-arg-inmem-accesses=on)";
  if (V.shows(By::Frees) &&
      None([](const trace::Trace &T) { return !T.Frees.empty(); }))
    return "--by frees: the trace does not say who freed what "
           "(INMEM_OPTIONS=frees=on records it)";
  if ((V.shows(By::Stack) || V.shows(By::Blame)) &&
      None([](const trace::Trace &T) { return T.Stacks.size() > 1; }))
    return std::string(V.shows(By::Stack) ? "--by stack" : "--by blame") +
           ": the trace has no call stacks "
           "(INMEM_OPTIONS=stacks=16 records them)";
  return std::nullopt;
}

/// The first trace's file name, for commands in messages.
static std::string firstOf(const std::vector<trace::Trace> &Traces) {
  return Traces.empty() ? "" : Traces[0].fileName();
}

/// The edges of --buckets in the unit of lifetimes, in ascending order.
static std::optional<Outcome> edgesIn(Unit LifetimeUnit,
                                      const std::vector<BucketEdge> &All,
                                      std::vector<uint64_t> &Edges) {
  const bool AreTimes = LifetimeUnit == Unit::Nanoseconds;
  for (const BucketEdge &Edge : All) {
    const auto Value = AreTimes ? Edge.Time : Edge.Size;
    if (!Value || *Value == 0)
      return Outcome::usage(
          "--buckets: '" + Edge.Text + "' is not a " +
          (AreTimes ? "time above 0" : "size in bytes (the clock is events)"));
    Edges.push_back(*Value);
  }
  std::sort(Edges.begin(), Edges.end());
  Edges.erase(std::unique(Edges.begin(), Edges.end()), Edges.end());
  return std::nullopt;
}

static std::string printed(const Profile &P, const View &V,
                           const ReportRequest &Request, const Style &Look,
                           const std::string &File) {
  switch (Request.Format) {
  case ReportFormat::Json:
    return printJson(P, V);
  case ReportFormat::Csv:
    return printCsv(P, V);
  case ReportFormat::Markdown:
    return printMarkdown(P, V, File);
  case ReportFormat::Text:
    break;
  }
  TextOptions Text;
  Text.Look = Look;
  Text.Details = Request.Details;
  Text.OneScreen = Request.OneScreen;
  Text.Rows = Request.Rows;
  if (Request.OneScreen)
    Text.Next = nextSteps(P, Request.Files);
  Text.Source = [Files = std::make_shared<SourceFiles>(P, Request.Sources)](
                    const std::string &Source) { return (*Files)(Source); };
  return printText(P, V, Text);
}

Outcome report(const std::vector<trace::Trace> &Traces,
               const ReportRequest &Request, const std::string &Path,
               std::FILE *Default) {
  if (Request.Diagnostics)
    printDiagnostics(Traces);
  Symbolizer Symbols;
  ProfileOptions Build = Request.Build;
  if (!Request.NoSymbols)
    Build.Resolver = &Symbols;
  if (const auto Wrong = Request.Part.apply(Traces, Build))
    return *Wrong;
  std::optional<Progress> Working(kAddingUp);
  auto P = buildProfile(Traces, Build);
  if (!P)
    return Outcome::usage(P.status().str());
  addNotices(Traces, Build, *P);
  if (Request.Diagnostics)
    printTyping(*P);

  View V = Request.Shown;
  if (!Build.inPart() || V.shows(By::Phase)) {
    // Each phase costs as much as a report, so limit them unless requested.
    constexpr size_t kUnasked = 100;
    auto Phases =
        phasesOf(Traces, Build, V.shows(By::Phase) ? ~size_t{0} : kUnasked);
    if (!Phases)
      return Outcome::usage(Phases.status().str());
    P->Phases = std::move(*Phases);
  }
  if (Request.Format == ReportFormat::Text && !Build.Phase.empty() &&
      leaveMadeInPart(*P)) {
    V.MinBytes =
        std::max<uint64_t>(V.MinBytes, 1); // rows with allocations only
    P->Notes.push_back(
        "rows are of what was allocated in this part; live is what it added: "
        "what was alive at its end, less what was alive before it");
  }
  if (const auto Lacking = missing(Traces, *P, V))
    return Outcome::usage(*Lacking);
  if (const auto Wrong = edgesIn(P->LifetimeUnit, Request.Edges, V.Edges))
    return *Wrong;

  const bool ToFile = !Path.empty() && Path != "-";
  const std::string Text = printed(
      *P, V, Request, styleFor(ToFile ? -1 : fileno(Default), Request.Colour),
      firstOf(Traces));
  Working.reset();
  if (const trace::Status S = writeText(Path, Default, Text); !S.ok())
    return Outcome::unwritable(S);
  if (const auto Damage = firstDamage(Traces))
    return Outcome::unreadable(*Damage);
  if (Request.Format == ReportFormat::Csv)
    printNotes(*P);
  return {};
}

} // namespace inmem::tools
