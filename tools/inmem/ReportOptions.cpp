//===- ReportOptions.cpp - Options to views, views to text ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ReportOptions.h"

#include "Inputs.h"
#include "Notices.h"
#include "Output.h"
#include "Suggest.h"
#include "Symbolizer.h"
#include "report/base/Units.h"
#include "report/formats/CsvReport.h"
#include "report/formats/JsonReport.h"
#include "report/formats/MarkdownReport.h"
#include "report/model/PhaseProfiles.h"
#include "report/model/Phases.h"
#include "report/text/TextReport.h"
#include "trace/ImportedFlags.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sys/stat.h>

namespace inmem::tools {

using namespace report;

/// Where the next comma is that separates: not one between brackets, as in
/// `map<int, Foo>`. A bracket that is not closed is a character as others are.
static size_t findComma(std::string_view List, size_t From) {
  constexpr std::string_view kOpen = "<([{", kClose = ">)]}";
  for (; From < List.size() && List[From] != ','; ++From) {
    size_t End = From;
    for (int Depth = 0; End < List.size(); ++End) {
      if (kOpen.find(List[End]) != std::string_view::npos)
        ++Depth;
      else if (kClose.find(List[End]) != std::string_view::npos)
        --Depth;
      if (Depth <= 0)
        break;
    }
    if (End < List.size())
      From = End;
  }
  return From;
}

std::vector<std::string> splitList(const std::vector<std::string> &Lists) {
  std::vector<std::string> Out;
  for (const std::string &List : Lists)
    for (size_t From = 0; From <= List.size();) {
      const size_t Comma = findComma(List, From);
      if (Comma > From)
        Out.push_back(List.substr(From, Comma - From));
      From = Comma + 1;
    }
  return Out;
}

static std::vector<std::string> byWords() {
  std::vector<std::string> Words;
  for (const ByName &N : byNames())
    Words.emplace_back(N.Word);
  return Words;
}

std::optional<std::string> parseBy(const std::vector<std::string> &Words,
                                   std::vector<By> &Out) {
  const auto Wrong = [](const std::string &Found) {
    return "--by: expected " + listed(byWords()) + ", found " + Found;
  };
  Out.clear();
  for (const std::string &Word : splitList(Words)) {
    const auto At = std::ranges::find(byNames(), Word, &ByName::Word);
    if (At == byNames().end())
      return Wrong("'" + Word + "'" + didYouMean(Word, byWords()));
    Out.push_back(At->What);
  }
  if (Out.empty())
    return Wrong("nothing");
  return std::nullopt;
}

/// `lib.so:function=Type`; the function's name may contain colons.
static std::optional<Assumption> parseAssumption(const std::string &Text) {
  const size_t Colon = Text.find(':');
  const size_t Equals = Text.find('=');
  if (Colon == std::string::npos || Colon == 0 || Equals == std::string::npos ||
      Equals <= Colon + 1 || Equals + 1 == Text.size())
    return std::nullopt;
  return Assumption{Text.substr(0, Colon),
                    Text.substr(Colon + 1, Equals - Colon - 1),
                    Text.substr(Equals + 1)};
}

namespace {

/// The ends of `1ms..1s`, `1ms..` or `..1s`, as text.
std::optional<std::pair<std::string, std::string>>
splitRange(const std::string &Text) {
  const size_t Dots = Text.find("..");
  if (Dots == std::string::npos || Text.size() == 2)
    return std::nullopt;
  return std::pair(Text.substr(0, Dots), Text.substr(Dots + 2));
}

std::optional<ProfileOptions::Range> parseLived(const std::string &Text,
                                                Unit In) {
  const auto Ends = splitRange(Text);
  if (!Ends)
    return std::nullopt;
  const auto Parse = [&](const std::string &End, uint64_t Default) {
    return End.empty()               ? std::optional(Default)
           : In == Unit::Nanoseconds ? parseDuration(End)
                                     : parseBytes(End);
  };
  const auto From = Parse(Ends->first, 0), To = Parse(Ends->second, ~0ull);
  if (!From || !To || *From >= *To)
    return std::nullopt;
  return ProfileOptions::Range{*From, *To};
}

} // namespace

void PartOptions::addTo(CommandLine &App) {
  App.option("--thread", Threads,
             "only threads whose name matches a glob, or of this tid or "
             "index")
      .valueName("GLOB")
      .oneValue();
  App.option("--lived", Lived,
             "only blocks whose lifetime is in a range, such as 1ms..1s, 1s.. "
             "or ..1us (bytes for clock=events)")
      .valueName("FROM..TO");
  App.option("--phase", Phase,
             "only what happened in a phase, or between two phases or "
             "snapshots: NAME, A..B, A.., ..B; NAME#2 is the second")
      .valueName("NAME");
}

std::optional<Outcome> PartOptions::parse(PartRequest &Out) const {
  Out = {splitList(Threads), Phase, Lived, {}, {}};
  if (Lived.empty())
    return std::nullopt;
  Out.Times = parseLived(Lived, Unit::Nanoseconds);
  Out.Sizes = parseLived(Lived, Unit::Bytes);
  if (!Out.Times && !Out.Sizes)
    return Outcome::usage("--lived: expected a range such as 1ms..1s, found '" +
                          Lived + "'");
  return std::nullopt;
}

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

void addGlobOptions(CommandLine &App, std::vector<std::string> &Types,
                    std::vector<std::string> &Sites) {
  App.option("--type", Types,
             "only types that match a glob; several with commas or again")
      .valueName("GLOB")
      .oneValue();
  App.option("--site", Sites,
             "only sites whose function, file or file:line matches a glob")
      .valueName("GLOB")
      .oneValue();
}

void ReportOptions::addTo(CommandLine &App) {
  std::vector<std::string> Sorts;
  for (const SortName &S : sortNames())
    Sorts.emplace_back(S.Word);
  App.option("--by", By, "rows: " + listed(byWords()) + "; several with commas")
      .valueName("WHAT")
      .oneValue()
      .showDefault();
  App.option("--sort", Sort, "order of rows: " + listed(Sorts))
      .oneOf(Sorts)
      .valueName("KEY")
      .showDefault();
  App.option("--top", Top,
             "rows a table; 0: all (default: 20 as text, else all)")
      .valueName("N");
  App.option("--details", Details,
             "types that get a section of their own in the text")
      .valueName("N")
      .showDefault();
  App.option("--findings", Findings,
             "what to change: all, N or off (default: 5 as text, else all)")
      .valueName("N");
  App.option("--buckets", Buckets,
             "edges of lifetime buckets, such as 5s,15s,25s (ns us ms s m h; "
             "bytes such as 64k for clock=events)")
      .valueName("EDGES")
      .oneValue();
  App.option("--format", Format, "text, json, csv or markdown")
      .oneOf({"text", "json", "csv", "markdown"})
      .valueName("NAME")
      .showDefault();
  addGlobOptions(App, Types, Sites);
  Part.addTo(App);
  App.option("--min-bytes", MinBytes,
             "leave out rows that allocated less, such as 64k")
      .valueName("SIZE")
      .showDefault();
  App.option("--color", Colour, "auto, always or never (NO_COLOR counts)")
      .oneOf({"auto", "always", "never"})
      .valueName("WHEN")
      .showDefault();
  App.option("--assume", Assume,
             "treat blocks from FUNC in uninstrumented LIB.so as TYPE; globs; "
             "may be repeated")
      .valueName("LIB.so:FUNC=TYPE")
      .oneValue();
  App.flag("--bottom-up", BottomUp,
           "--by stack: the allocating function first, then its callers");
  App.flag("--lines", Lines,
           "--by stack: keep calls from different lines separate");
  App.flag("--recursion", Recursion,
           "--by stack: do not merge recursive calls");
  App.flag("--blame", Blamed, "the same as --by blame");
  App.flag(
      "--frees", Frees,
      "the same as --by frees: which code frees which allocations (frees=on)");
  App.option(
         "--blame-ignore", BlameIgnore,
         "skip functions with these prefixes, such as boost::, when assigning "
         "blame, in addition to the C and C++ library's; '' drops those")
      .valueName("PREFIX,...")
      .oneValue();
  App.option("--blame-target", BlameTarget,
             "blame only functions with these prefixes")
      .valueName("PREFIX,...")
      .oneValue();
  App.flag("--diagnostics", Diagnostics,
           "print reader and verifier diagnostics and how types were inferred "
           "to standard error (with --format json also in the report)");
  App.flag("--no-symbols", NoSymbols,
           "do not look into programs and libraries for names of callers");
}

/// Edges are times or sizes, and ascend.
static std::optional<Outcome>
parseBuckets(const std::vector<std::string> &Lists,
             std::vector<BucketEdge> &Out) {
  const auto Wrong = [](const std::string &Found) {
    return Outcome::usage(
        "--buckets: expected times such as 5s,15s,25s, found " + Found);
  };
  for (const std::string &List : Lists) {
    const auto Edges = splitList({List});
    if (Edges.empty())
      return Wrong("nothing");
    BucketEdge Last;
    for (const std::string &Text : Edges) {
      BucketEdge Edge = {Text, parseDuration(Text), parseBytes(Text)};
      if (!Edge.Time && !Edge.Size)
        return Wrong("'" + Text + "'");
      if ((Edge.Time && Edge.Time < Last.Time) ||
          (Edge.Size && Edge.Size < Last.Size))
        return Wrong("'" + Text + "' after a larger one");
      Last = Edge;
      Out.push_back(std::move(Edge));
    }
  }
  return std::nullopt;
}

/// The words of --findings; none of others, and of an empty one.
static std::optional<size_t> parseFindings(const std::string &Text) {
  if (Text == "off")
    return 0;
  if (Text == "all")
    return ~size_t{0};
  size_t Most = 0;
  const char *End = Text.data() + Text.size();
  const auto [Stop, Wrong] = std::from_chars(Text.data(), End, Most);
  return Wrong == std::errc() && Stop == End ? std::optional(Most)
                                             : std::nullopt;
}

std::optional<Outcome> ReportOptions::parse(ReportRequest &Out) const {
  View &V = Out.Shown;
  if (const auto Wrong = parseBy(By, V.Tables))
    return Outcome::usage(*Wrong);
  if (auto Wrong = Part.parse(Out.Part))
    return Wrong;
  V.Order = std::ranges::find(sortNames(), Sort, &SortName::Word)->Order;
  if (V.Order >= report::Sort::Self && !V.shows(report::By::Cpu))
    return Outcome::usage("--sort " + Sort + ": only with --by cpu");
  if (Format == "csv" && V.Tables.size() > 1)
    return Outcome::usage("--format csv: expected one word in --by");
  V.Findings = parseFindings(Findings);
  if (!Findings.empty() && !V.Findings)
    return Outcome::usage("--findings: expected all, off or a number, found '" +
                          Findings + "'");
  const auto Least = parseBytes(MinBytes);
  if (!Least)
    return Outcome::usage("--min-bytes: expected a size such as 64k, found '" +
                          MinBytes + "'");
  V.MinBytes = *Least;
  for (const std::string &Text : Assume) {
    auto Assumed = parseAssumption(Text);
    if (!Assumed)
      return Outcome::usage("--assume: expected LIB.so:FUNC=TYPE, found '" +
                            Text + "'");
    Out.Build.Assumptions.push_back(std::move(*Assumed));
  }
  if (auto Wrong = parseBuckets(Buckets, Out.Edges))
    return Wrong;

  if (Blamed)
    V.Tables = {report::By::Blame};
  if (Frees)
    V.Tables = {report::By::Frees};
  V.Stacks = {BottomUp, !Recursion, Lines};
  V.Blame = {splitList(BlameIgnore), splitList(BlameTarget),
             std::ranges::find(BlameIgnore, "") == BlameIgnore.end()};
  V.Diagnostics = Out.Diagnostics = Diagnostics;
  Out.Format = Format == "json"       ? ReportFormat::Json
               : Format == "csv"      ? ReportFormat::Csv
               : Format == "markdown" ? ReportFormat::Markdown
                                      : ReportFormat::Text;
  V.Top = Top.value_or(Out.Format == ReportFormat::Text ? 20 : 0);
  Out.Build.TypeGlobs = splitList(Types);
  Out.Build.SiteGlobs = splitList(Sites);
  // Tools distinguish types that people cannot.
  Out.Build.ByReadableName =
      Out.Format == ReportFormat::Text || Out.Format == ReportFormat::Markdown;
  Out.Details = Details;
  Out.Colour = Colour;
  Out.NoSymbols = NoSymbols;
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

/// The file that a command may name.
static std::string firstOf(const std::vector<trace::Trace> &Traces) {
  return Traces.empty() ? "" : Traces[0].fileName();
}

/// When the first process began; 0: not known.
static uint64_t startOf(const Profile &P) {
  uint64_t Start = P.Processes.empty() ? 0 : P.Processes[0].StartUnixNs;
  for (const ProcessResult &R : P.Processes)
    Start = std::min(Start, R.StartUnixNs);
  return Start;
}

/// The text of a file that was last changed before \p StartUnixNs: its lines
/// are the ones that the program was built from.
static std::optional<std::string> sourceBefore(const std::string &File,
                                               uint64_t StartUnixNs) {
  struct stat Known;
  constexpr off_t kMost = 4 << 20;
  if (StartUnixNs == 0 || stat(File.c_str(), &Known) != 0 ||
      !S_ISREG(Known.st_mode) || Known.st_size > kMost ||
      static_cast<uint64_t>(Known.st_mtim.tv_sec) * 1000000000 +
              static_cast<uint64_t>(Known.st_mtim.tv_nsec) >
          StartUnixNs)
    return std::nullopt;
  std::ifstream In(File, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(In), {});
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
  Text.Source = [&P, From = startOf(P)](const std::string &Source) {
    auto Lines = sourceBefore(Source, From);
    if (!Source.starts_with('/'))
      for (const std::string &Folder : P.CompileFolders)
        if (!Lines)
          Lines = sourceBefore(Folder + Source, From);
    return Lines;
  };
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
  auto P = buildProfile(Traces, Build);
  if (!P)
    return Outcome::usage(P.status().str());
  addNotices(Traces, Build, *P);
  if (Request.Diagnostics)
    printTyping(*P);

  View V = Request.Shown;
  if (!Build.inPart() || V.shows(By::Phase)) {
    // Each phase costs as much as a report.
    constexpr size_t kUnasked = 100;
    auto Phases =
        phasesOf(Traces, Build, V.shows(By::Phase) ? ~size_t{0} : kUnasked);
    if (!Phases)
      return Outcome::usage(Phases.status().str());
    P->Phases = std::move(*Phases);
  }
  if (const auto Lacking = missing(Traces, *P, V))
    return Outcome::usage(*Lacking);
  if (const auto Wrong = edgesIn(P->LifetimeUnit, Request.Edges, V.Edges))
    return *Wrong;

  const bool ToFile = !Path.empty() && Path != "-";
  const std::string Text = printed(
      *P, V, Request, styleFor(ToFile ? -1 : fileno(Default), Request.Colour),
      firstOf(Traces));
  if (const trace::Status S = writeText(Path, Default, Text); !S.ok())
    return Outcome::unwritable(S);
  if (const auto Damage = firstDamage(Traces))
    return Outcome::unreadable(*Damage);
  if (Request.Format == ReportFormat::Csv)
    printNotes(*P);
  return {};
}

} // namespace inmem::tools
