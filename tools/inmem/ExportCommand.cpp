//===- ExportCommand.cpp - inmem export -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ReportOptions.h"
#include "Steps.h"
#include "cli/Output.h"
#include "cli/Terminal.h"
#include "files/Inputs.h"
#include "files/Symbolizer.h"
#include "report/base/Words.h"
#include "report/formats/Export.h"
#include "report/model/OverTime.h"

#include <optional>

namespace inmem::tools {

using report::listed;

/// The reason why a format cannot express the profile.
static std::optional<Outcome> refusal(const report::ExportFormat &Format,
                                      bool Times, const report::Profile &P) {
  const std::string Command = "export --format " + std::string(Format.Name);
  const report::ExportNeeds &Needs = Format.Needs;
  if (Times) {
    constexpr uint64_t kMostSamples = 10000000;
    if (!P.Samples)
      return Outcome::usage("export --samples: the trace has none (record with "
                            "profile=200ms), or only a part of it was chosen");
    if (Needs.EachSample && P.Samples->Unwound > kMostSamples)
      return Outcome::usage(
          Command + " --samples: it has a packet for each of " +
          std::to_string(P.Samples->Unwound) + " samples; pprof has sums");
    return std::nullopt;
  }
  const report::Counts &All = P.Totals;
  if (Needs.Timeline && P.Timeline.empty())
    return Outcome::usage(Command +
                          ": the trace has no snapshots over time (record "
                          "one process with periodic=SECONDS or phases), or "
                          "only a part of it was chosen");
  constexpr uint64_t kMostEvents = 100000000;
  if (Needs.EachBlock && All.Allocations + All.CarriedAllocations > kMostEvents)
    return Outcome::usage(Command + ": it has a line for each of " +
                          std::to_string(All.Allocations) +
                          " allocations; choose some with --type or --site");
  if ((Needs.Allocated && !All.allocatedBytes()) ||
      (Needs.Freed && (!All.frees() || !All.liveBytes())))
    return Outcome::usage(Command + ": the tool that recorded the trace does "
                                    "not know what was allocated and freed");
  return std::nullopt;
}

static std::vector<std::string> formatsOfSamples() {
  std::vector<std::string> Names;
  for (const report::ExportFormat &F : report::exportFormats())
    if (F.WriteTimes)
      Names.emplace_back(F.Name);
  return Names;
}

namespace {
struct ExportState {
  std::vector<std::string> Files, Types, Sites;
  const report::ExportFormat *Format = nullptr; ///< null: Parquet
  std::string Output, Config;
  size_t Batch = 500;
  PartOptions Part;
  bool Times = false, TypeFrames = false;
};
} // namespace

static std::optional<Outcome> wrongUsage(const ExportState &S) {
  if (!S.Format) {
    if (!S.Types.empty() || !S.Sites.empty() || S.Times || S.TypeFrames ||
        S.Part.chooses())
      return Outcome::usage("export --format parquet: whole traces only; "
                            "choose when you query them");
    return std::nullopt;
  }
  if (S.Times && !S.Format->WriteTimes)
    return Outcome::usage("--samples: expected --format " +
                          listed(formatsOfSamples()) + ", found '" +
                          std::string(S.Format->Name) + "'");
  if (S.TypeFrames && (S.Times || !S.Format->WriteTypeFrames))
    return Outcome::usage(
        "--frames type: expected --format pprof of allocations; other formats "
        "with stacks always have types as frames");
  return std::nullopt;
}

static Outcome exportTraces(const ExportState &S) {
  if (auto Wrong = wrongUsage(S))
    return *Wrong;
  if (!S.Format)
    return exportParquet(S.Files, S.Output, S.Batch, S.Config);
  const report::ExportFormat &Format = *S.Format;
  PartRequest Part;
  if (const auto Wrong = S.Part.parse(Part))
    return *Wrong;
  const auto Traces = readInputs(S.Files);
  if (!Traces)
    return Outcome::unreadable(Traces.status());
  Symbolizer Symbols;
  report::ProfileOptions Build;
  Build.TypeGlobs = splitList(S.Types);
  Build.SiteGlobs = splitList(S.Sites);
  Build.Resolver = &Symbols;
  Build.Parts = Format.Needs.Parts;
  if (const auto Wrong = Part.apply(*Traces, Build))
    return *Wrong;
  std::optional<Progress> Working(kAddingUp);
  auto P = report::buildProfile(*Traces, Build);
  if (!P)
    return Outcome::usage(P.status().str());
  if (Format.Needs.Phases && !Build.inPart()) {
    constexpr size_t kMost = 1000;
    auto Phases = report::phasesOf(*Traces, Build, kMost);
    if (!Phases)
      return Outcome::usage(Phases.status().str());
    P->Phases = std::move(*Phases);
  }
  if (const auto Wrong = refusal(Format, S.Times, *P))
    return *Wrong;
  const auto Write = S.Times        ? Format.WriteTimes
                     : S.TypeFrames ? Format.WriteTypeFrames
                                    : Format.Write;
  Working.emplace("writing " + std::string(Format.Name));
  const std::string Text = Write(*P);
  Working.reset();
  const trace::Status Done = writeText(S.Output, stdout, Text);
  if (!Done.ok())
    return Outcome::unwritable(Done);
  if (const auto Damage = firstDamage(*Traces))
    return Outcome::unreadable(*Damage);
  printNotes(*P);
  return {};
}

Action setUpExport(CommandLine &App) {
  const auto S = std::make_shared<ExportState>();
  auto Formats =
      choicesOf(report::exportFormats(), &report::ExportFormat::Name);
  Formats.push_back({"parquet", nullptr});
  std::string Help;
  for (const report::ExportFormat &F : report::exportFormats())
    Help += "  " + std::string(F.Name) + ": " + std::string(F.Help) + "\n";
  Help += "  parquet: tables of many traces in a folder, for "
          "DuckDB, Spark and others\n";
  App.option("FILE", S->Files, "traces; they are added up").required().reads();
  App.choice("--format", S->Format, Formats, "one of {}")
      .valueName("NAME")
      .required();
  addGlobOptions(App, S->Types, S->Sites);
  S->Part.addTo(App);
  App.flag("--samples", S->Times,
           "samples of where threads were (profile=) in place of "
           "allocations: " +
               listed(formatsOfSamples()));
  App.choice("--frames", S->TypeFrames, {{"code", false}, {"type", true}},
             "innermost frames of pprof: {}; type adds what reports call the "
             "blocks below your line")
      .valueName("WHICH")
      .showDefault();
  App.option("-o,--output", S->Output,
             "the file to write; - is standard output. parquet: the folder to "
             "add to")
      .valueName("OUT")
      .required()
      .writes();
  App.option("--batch", S->Batch,
             "parquet: traces of a day and service that share files")
      .valueName("N")
      .showDefault();
  App.option("--config", S->Config,
             "parquet: fleet.toml, with labels for traces that have none")
      .valueName("FILE")
      .reads();
  App.footer("Formats:\n" + Help +
             "\nExamples:\n"
             "  inmem export --format pprof -o app.pb app.inmem && go tool "
             "pprof -top app.pb\n"
             "  inmem export --format massif -o massif.out app.inmem && "
             "ms_print massif.out\n"
             "  inmem export --format parquet -o fleet traces/*.inmem");
  return [S] { return exportTraces(*S); };
}

} // namespace inmem::tools
