//===- FlameCommand.cpp - inmem flame -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ReportOptions.h"
#include "cli/Output.h"
#include "cli/Terminal.h"
#include "files/Inputs.h"
#include "files/Symbolizer.h"
#include "report/base/Units.h"
#include "report/formats/FlameGraph.h"
#include "report/model/View.h"

#include <algorithm>
#include <optional>

namespace inmem::tools {

using namespace report;

static Outcome noStacks(const std::string &File) {
  return Outcome::usage(
      File + ": no call stacks: record with INMEM_OPTIONS=stacks=16");
}

static constexpr const char *kFooter =
    "The traces must have been recorded with stacks=N; for --metric cpu with\n"
    "profile=1ms:profile_clock=cpu, for wall with profile=200ms.\n\n"
    "Examples:\n"
    "  inmem flame -o bytes.svg trace.inmem\n"
    "  inmem flame --metric peak -o peak.svg trace.inmem\n"
    "  inmem flame --format folded trace.inmem";

/// The reason why the selection has no samples, if it has none.
static std::optional<Outcome> lacksSamples(const Profile &P,
                                           const FlameMetricName &Of,
                                           const std::string &File) {
  const bool Cpu = Of.What == FlameMetric::Cpu;
  if (!Cpu && Of.What != FlameMetric::Wall)
    return std::nullopt;
  const std::string Option = "--metric " + std::string(Of.Word) + ": ";
  if (P.SamplesOfWholeRun)
    return Outcome::usage(Option + std::string(kSamplesOfWholeRun));
  if (!P.Samples)
    return Outcome::usage(File +
                          ": no samples: record with INMEM_OPTIONS=profile=" +
                          (Cpu ? "1ms:profile_clock=cpu" : "200ms"));
  if (P.Samples->Clock != Of.Word)
    return Outcome::usage(Option +
                          "the samples are of the other clock: "
                          "--metric " +
                          P.Samples->Clock);
  return std::nullopt;
}

static bool knows(const Profile &P, FlameMetric What) {
  const Counts &All = P.Totals;
  switch (What) {
  case FlameMetric::Bytes:
    return All.allocatedBytes().has_value();
  case FlameMetric::Count:
    return All.allocations().has_value();
  case FlameMetric::Live:
    return All.liveBytes().has_value();
  case FlameMetric::Peak:
    return P.PeakLiveBytes.has_value();
  case FlameMetric::Lived:
  case FlameMetric::Cpu:
  case FlameMetric::Wall:
    return false;
  }
  return false;
}

/// Another tool's profile may lack metrics: choose what "bytes" means.
static std::optional<Outcome>
chooseMetric(const Profile &P, const FlameMetricName &Of, FlameMetric &Into) {
  Into = Of.What;
  if (P.Totals.Unknown == 0)
    return std::nullopt;
  if (Into == FlameMetric::Bytes && !knows(P, Into))
    Into = P.PeakLiveBytes ? FlameMetric::Peak : FlameMetric::Live;
  if (knows(P, Into))
    return std::nullopt;
  return Outcome::usage("--metric " + std::string(Of.Word) +
                        ": the tool that recorded the trace does not know it");
}

/// The name of the program that ran; empty if unknown.
static std::string programOf(const Profile &P) {
  return P.Processes.empty() || P.Processes.front().Command.empty()
             ? ""
             : std::string(P.Processes.front().Command.front());
}

namespace {

enum class FlameFormat { Svg, Folded };

struct FlameState {
  std::vector<std::string> Files, Types, Sites;
  PartOptions Part;
  const FlameMetricName *Metric = &flameMetrics().front();
  FlameFormat Format = FlameFormat::Svg;
  std::string MinBytes = "0", Output, Title;
  bool BottomUp = false, Lines = false, NoTypes = false, NoSymbols = false;
};

} // namespace

static Outcome flame(const FlameState &S) {
  PartRequest Part;
  if (const auto Wrong = S.Part.parse(Part))
    return *Wrong;
  const auto MinBytes = parseBytes(S.MinBytes);
  if (!MinBytes)
    return Outcome::usage("--min-bytes: expected a size such as 64k, found '" +
                          S.MinBytes + "'");
  const auto Traces = readInputs(S.Files);
  if (!Traces)
    return Outcome::unreadable(Traces.status());
  Symbolizer Symbols;
  ProfileOptions Build;
  Build.TypeGlobs = splitList(S.Types);
  Build.SiteGlobs = splitList(S.Sites);
  if (const auto Wrong = Part.apply(*Traces, Build))
    return *Wrong;
  if (S.Metric->What == FlameMetric::Peak && Build.inPart())
    return Outcome::usage("--metric peak: is kept of the whole run; of a part "
                          "chosen by --phase, --thread or --lived it is not "
                          "known");
  if (!S.NoSymbols)
    Build.Resolver = &Symbols;
  std::optional<Progress> Working(kAddingUp);
  auto P = buildProfile(*Traces, Build);
  if (!P)
    return Outcome::usage(P.status().str());
  const bool HasStacks = std::ranges::any_of(
      *Traces, [](const trace::Trace &T) { return T.Stacks.size() > 1; });
  std::erase_if(P->Calls.Stacks, [&](const StackResult &R) {
    return R.Sum.AllocatedBytes < *MinBytes;
  });
  const auto Damage = firstDamage(*Traces);
  if (auto Wrong = lacksSamples(*P, *S.Metric, S.Files[0]))
    return Damage ? Outcome::unreadable(*Damage) : *Wrong;
  if (!HasStacks)
    return Damage ? Outcome::unreadable(*Damage) : noStacks(S.Files[0]);
  FlameOptions O;
  if (const auto Wrong = chooseMetric(*P, *S.Metric, O.Of))
    return *Wrong;
  O.Tree.BottomUp = S.BottomUp;
  O.Tree.ByLine = S.Lines;
  O.Types = !S.NoTypes;
  O.Title = S.Title.empty() ? programOf(*P) : S.Title;
  const std::string Text =
      S.Format == FlameFormat::Svg ? flameGraph(*P, O) : foldedStacks(*P, O);
  Working.reset();
  if (const trace::Status Wrong = writeText(S.Output, stdout, Text);
      !Wrong.ok())
    return Outcome::unwritable(Wrong);
  if (Damage)
    return Outcome::unreadable(*Damage);
  printNotes(*P);
  return {};
}

Action setUpFlame(CommandLine &App) {
  const auto S = std::make_shared<FlameState>();
  App.option("FILE", S->Files, "trace files; several are added up")
      .required()
      .reads();
  App.option("-o,--output", S->Output, "the file to write")
      .valueName("OUT.svg")
      .writes();
  App.choice("--metric", S->Metric,
             choicesOf(flameMetrics(), &FlameMetricName::Word),
             "what a width means: {}")
      .valueName("NAME")
      .showDefault();
  App.choice("--format", S->Format,
             {{"svg", FlameFormat::Svg}, {"folded", FlameFormat::Folded}},
             "svg, or folded: `main;make;Foo 120` a line")
      .valueName("NAME")
      .showDefault();
  addGlobOptions(App, S->Types, S->Sites);
  S->Part.addTo(App);
  App.option("--min-bytes", S->MinBytes,
             "leave out stacks that allocated less, such as 64k")
      .valueName("SIZE")
      .showDefault();
  App.option("--title", S->Title, "the picture's title").valueName("TEXT");
  App.flag("--bottom-up", S->BottomUp,
           "the type and the allocating function first, then callers");
  App.flag("--lines", S->Lines, "keep calls from different lines separate");
  App.flag("--no-types", S->NoTypes, "no boxes for types");
  App.flag("--no-symbols", S->NoSymbols,
           "do not look into programs and libraries for names");
  App.footer(kFooter);
  return [S] { return flame(*S); };
}

} // namespace inmem::tools
