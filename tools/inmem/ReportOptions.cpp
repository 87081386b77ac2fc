//===- ReportOptions.cpp - Options to requests ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ReportOptions.h"

#include "report/base/Units.h"
#include "report/base/Words.h"
#include "trace/format/ImportedFlags.h"

#include <algorithm>
#include <charconv>

namespace inmem::tools {

using namespace report;

/// The position of the next separating comma: not one between brackets, as in
/// `map<int, Foo>`. An unclosed bracket is an ordinary character.
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

std::vector<std::string> byWords(std::span<const By> Tables) {
  std::vector<std::string> Words;
  for (const ByName &N : byNames())
    if (std::ranges::find(Tables, N.What) != Tables.end())
      Words.emplace_back(N.Word);
  return Words;
}

/// All of them.
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

/// Options of the tree that --by stack prints.
static void addTreeOptions(CommandLine &App, bool &BottomUp, bool &Lines,
                           bool &Recursion) {
  App.flag("--bottom-up", BottomUp,
           "--by stack: the allocating function first, then its callers");
  App.flag("--lines", Lines,
           "--by stack: keep calls from different lines separate");
  App.flag("--recursion", Recursion,
           "--by stack: do not merge recursive calls");
}

/// Options for the types of blocks allocated by uninstrumented code.
static void addUninstrumentedOptions(CommandLine &App,
                                     std::vector<std::string> &Assume,
                                     bool &ExactTypes) {
  App.option("--assume", Assume,
             "treat blocks from FUNC in uninstrumented LIB.so as TYPE; globs; "
             "may be repeated")
      .valueName("LIB.so:FUNC=TYPE")
      .oneValue();
  App.choice("--types", ExactTypes, {{"all", false}, {"exact", true}},
             "types of blocks that uninstrumented code allocated: {}, exact "
             "leaves out inferred ones")
      .valueName("WHICH")
      .showDefault();
}

void ReportOptions::addTo(CommandLine &App) {
  App.option("--by", By,
             "tables instead of the one screen: " + listed(byWords()) +
                 "; several with commas")
      .suggests(byWords())
      .valueName("WHAT")
      .oneValue();
  App.flag("--full", Full,
           "everything as text: all sections of --by type, not one screen");
  App.choice("--sort", Order,
             choicesOf(sortNames(), &SortName::Word, &SortName::Order),
             "order of rows: {}")
      .valueName("KEY")
      .showDefault();
  App.option("--top", Top,
             "rows a table; 0: all (default: 20 as text, 8 types on one "
             "screen, else all)")
      .valueName("N");
  App.option("--details", Details,
             "types that get a section of their own in --full (default: 3)")
      .valueName("N");
  App.option("--findings", Findings,
             "what to change: all, N or off (default: 3 on one screen, 5 as "
             "text, else all)")
      .valueName("N");
  App.option("--buckets", Buckets,
             "edges of lifetime buckets, such as 5s,15s,25s (ns us ms s m h; "
             "bytes such as 64k for clock=events)")
      .valueName("EDGES")
      .oneValue();
  App.choice("--format", Format,
             {{"text", ReportFormat::Text},
              {"json", ReportFormat::Json},
              {"csv", ReportFormat::Csv},
              {"markdown", ReportFormat::Markdown}},
             "{}")
      .valueName("NAME")
      .showDefault();
  App.option("--source", Sources,
             "folder where relative paths of sources begin, for the lines of "
             "code under findings; may be repeated")
      .valueName("DIR")
      .oneValue();
  addGlobOptions(App, Types, Sites);
  Part.addTo(App);
  App.option("--min-bytes", MinBytes,
             "leave out rows that allocated less, such as 64k")
      .valueName("SIZE")
      .showDefault();
  addColourOption(App, Colour, "{} (NO_COLOR counts)");
  addUninstrumentedOptions(App, Assume, ExactTypes);
  addTreeOptions(App, BottomUp, Lines, Recursion);
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

/// Edges must be times or sizes, in ascending order.
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

/// Parses --findings: off, all or a number; nullopt for anything else.
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
  if (!By.empty())
    if (const auto Wrong = parseBy(By, V.Tables))
      return Outcome::usage(*Wrong);
  // These options select from all sections.
  Out.OneScreen =
      By.empty() && !Full && !Details && Buckets.empty() && !Blamed && !Frees;
  Out.Rows = Top;
  Out.Sources = Sources;
  if (auto Wrong = Part.parse(Out.Part))
    return Wrong;
  V.Order = Order;
  if (Order >= Sort::Self && !V.shows(report::By::Cpu))
    return Outcome::usage(
        "--sort " +
        std::string(
            std::ranges::find(sortNames(), Order, &SortName::Order)->Word) +
        ": only with --by cpu");
  if (Format == ReportFormat::Csv && V.Tables.size() > 1)
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
  Out.Format = Format;
  V.Top = Top.value_or(Out.Format == ReportFormat::Text ? 20 : 0);
  Out.Build.ExactTypes = ExactTypes;
  Out.Build.TypeGlobs = splitList(Types);
  Out.Build.SiteGlobs = splitList(Sites);
  // Only people need types with the same readable name merged; tools
  // distinguish them.
  Out.Build.ByReadableName =
      Out.Format == ReportFormat::Text || Out.Format == ReportFormat::Markdown;
  Out.Details = Details.value_or(3);
  Out.Colour = Colour;
  Out.NoSymbols = NoSymbols;
  return std::nullopt;
}

} // namespace inmem::tools
