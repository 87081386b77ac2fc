//===- Budget.cpp - Budget files ------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/compare/Budget.h"

#include "report/base/Units.h"
#include "report/base/Words.h"
#include "report/compare/Toml.h"
#include "report/names/TypeName.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace inmem::report {

namespace {

constexpr MetricName kMetrics[] = {
    {Metric::Blocks, "blocks", Dimension::Count, "blocks", "allocations"},
    {Metric::Bytes, "bytes", Dimension::Bytes, "bytes", "allocated_bytes"},
    {Metric::LiveBlocks, "live_blocks", Dimension::Count, "live blocks",
     "live_allocations"},
    {Metric::LiveBytes, "live_bytes", Dimension::Bytes, "live bytes"},
    {Metric::PeakBytes, "peak_live_bytes", Dimension::Bytes, "peak live bytes",
     "peak_bytes", "peak_bytes"},
    {Metric::PeakRss, "peak_rss_bytes", Dimension::Bytes,
     "peak resident bytes"},
    {Metric::TemporaryBlocks, "temporary_blocks", Dimension::Count,
     "temporary blocks", "temporary_allocations"},
    {Metric::Reallocations, "reallocations", Dimension::Count, "reallocations"},
    {Metric::Constructed, "constructed", Dimension::Count,
     "objects constructed"},
    {Metric::Alive, "alive", Dimension::Count, "objects alive"},
    {Metric::Copies, "copies", Dimension::Count, "copies"},
    {Metric::Moves, "moves", Dimension::Count, "moves"},
    {Metric::LifetimeP50, "lifetime_p50", Dimension::Life, "median lifetime"},
    {Metric::LifetimeP90, "lifetime_p90", Dimension::Life,
     "90th percentile of lifetimes"},
    {Metric::LifetimeP99, "lifetime_p99", Dimension::Life,
     "99th percentile of lifetimes"},
    {Metric::LifetimeMax, "lifetime_max", Dimension::Life, "longest lifetime"}};

std::string_view trimmed(std::string_view Text) {
  while (!Text.empty() && Text.front() == ' ')
    Text.remove_prefix(1);
  while (!Text.empty() && Text.back() == ' ')
    Text.remove_suffix(1);
  return Text;
}

/// `the text "5x"`, `the integer -3`, `a table`.
std::string found(const toml::node &Node) {
  if (const auto *Text = Node.as_string())
    return fmt::format("the text \"{}\"", Text->get());
  if (const auto *Number = Node.as_integer())
    return fmt::format("the number {}", Number->get());
  if (const auto *Number = Node.as_floating_point())
    return fmt::format("the number {}", Number->get());
  if (const auto *Flag = Node.as_boolean())
    return Flag->get() ? "true" : "false";
  return Node.is_table()   ? "a table"
         : Node.is_array() ? "a list"
                           : "a date or time";
}

constexpr std::string_view expected(Dimension In) {
  switch (In) {
  case Dimension::Count:
    return "a count such as 100";
  case Dimension::Bytes:
    return "a size such as 4096 or \"1.5 MiB\"";
  case Dimension::Life:
    break;
  }
  return "a time such as \"2 ms\", or, for clock=events, a size such as "
         "\"64 KiB\"";
}

Position positionOf(const toml::source_region &Region) {
  return {Region.begin.line, Region.begin.column};
}

class Parser {
public:
  explicit Parser(const std::string &File) { Out.File = File; }

  trace::Result<Budget> run(std::string_view Text);

private:
  /// Remembers the first error.
  void fail(const toml::source_region &At, std::string_view Problem);
  void fail(const toml::source_region &At, std::string_view What,
            std::string_view Expected, std::string_view Found) {
    fail(At, fmt::format("{}: expected {}, found {}", What, Expected, Found));
  }
  template <class T>
  void unknownKey(const toml::key &Key, std::string_view Where, const T &Known);
  const toml::table *tableOf(const toml::key &Key, const toml::node &Node);
  void parseSubjects(const toml::table &In, const std::string &Phase,
                     bool Baseline);
  void parseMetrics(const toml::table &In, const Subject &Of, bool Baseline);
  void parseLimit(const toml::key &Key, const toml::node &Node,
                  const MetricName &Name, const Subject &Of);
  void parseRule(const toml::key &Key, const toml::node &Node,
                 const MetricName &Name, const Subject &Of);
  std::optional<uint64_t> parseAmount(const toml::node &Node,
                                      const MetricName &Name, Limit &Into);
  void parseTop(const toml::table &Top);

  Budget Out;
  std::optional<trace::Status> Error;
};

void Parser::fail(const toml::source_region &At, std::string_view Problem) {
  if (!Error)
    Error = trace::Status::error(
        fmt::format("{}:{}:{}", Out.File, At.begin.line, At.begin.column),
        std::string(Problem));
}

template <class T>
void Parser::unknownKey(const toml::key &Key, std::string_view Where,
                        const T &Known) {
  fail(Key.source(), Where, fmt::format("one of {}", fmt::join(Known, ", ")),
       fmt::format(
           "\"{}\"{}", Key.str(),
           didYouMean(Key.str(), std::vector<std::string>(std::begin(Known),
                                                          std::end(Known)))));
}

const toml::table *Parser::tableOf(const toml::key &Key,
                                   const toml::node &Node) {
  if (!Node.is_table())
    fail(Node.source(), Key.str(), "a table", found(Node));
  return Node.as_table();
}

std::optional<uint64_t> Parser::parseAmount(const toml::node &Node,
                                            const MetricName &Name,
                                            Limit &Into) {
  const auto Wrong = [&]() -> std::optional<uint64_t> {
    fail(Node.source(), Name.Word, expected(Name.In), found(Node));
    return std::nullopt;
  };
  if (const auto *Number = Node.as_integer()) {
    if (Number->get() < 0 || Name.In == Dimension::Life)
      return Wrong();
    return static_cast<uint64_t>(Number->get());
  }
  const auto *Text = Node.as_string();
  if (!Text || Name.In == Dimension::Count)
    return Wrong();
  const std::string_view Written = trimmed(Text->get());
  const bool HasUnit =
      !Written.empty() && (Written.back() < '0' || Written.back() > '9');
  if (Name.In == Dimension::Life) {
    if (const auto Time = HasUnit ? parseDuration(Written) : std::nullopt) {
      Into.LifetimeUnit = Unit::Nanoseconds;
      return Time;
    }
    Into.LifetimeUnit = Unit::Bytes;
    const auto Size = HasUnit ? parseBytes(Written) : std::nullopt;
    return Size ? Size : Wrong();
  }
  const auto Size = parseBytes(Written);
  return Size ? Size : Wrong();
}

void Parser::parseLimit(const toml::key &Key, const toml::node &Node,
                        const MetricName &Name, const Subject &Of) {
  Limit L;
  L.Of = Of;
  L.What = Name.What;
  L.At = positionOf(Key.source());
  if (const toml::table *Range = Node.as_table()) {
    if (Range->empty())
      fail(Node.source(), Name.Word, "max, min or both", "an empty table");
    for (const auto &[Bound, Value] : *Range) {
      if (Bound != "max" && Bound != "min")
        return unknownKey(Bound, Name.Word, std::array{"max", "min"});
      const Unit Before = L.LifetimeUnit;
      const bool Second = L.Max || L.Min;
      (Bound == "max" ? L.Max : L.Min) = parseAmount(Value, Name, L);
      if (Second && Before != L.LifetimeUnit)
        fail(Value.source(), Name.Word, "both as times or both as sizes",
             found(Value));
    }
    if (L.Max && L.Min && *L.Min > *L.Max)
      fail(Node.source(), Name.Word, "min no higher than max",
           fmt::format("min {}, max {}", *L.Min, *L.Max));
  } else {
    L.Max = parseAmount(Node, Name, L);
  }
  Out.Limits.push_back(std::move(L));
}

void Parser::parseRule(const toml::key &Key, const toml::node &Node,
                       const MetricName &Name, const Subject &Of) {
  BaselineRule R;
  R.Of = Of;
  R.What = Name.What;
  R.At = positionOf(Key.source());
  std::optional<Tolerance> By;
  if (const auto *Number = Node.as_integer(); Number && Number->get() >= 0)
    By = Tolerance{0, static_cast<uint64_t>(Number->get())};
  else if (const auto *Text = Node.as_string())
    By = parseTolerance(Text->get());
  if (!By)
    return fail(Node.source(), Name.Word,
                "how much more than the baseline is allowed, such as \"5 %\", "
                "16 or \"5 % + 1 KiB\"",
                found(Node));
  R.By = *By;
  Out.Baseline.push_back(std::move(R));
}

void Parser::parseMetrics(const toml::table &In, const Subject &Of,
                          bool Baseline) {
  std::vector<Metric> Seen;
  for (const auto &[Key, Node] : In) {
    const auto Name = std::find_if(
        std::begin(kMetrics), std::end(kMetrics), [&](const MetricName &M) {
          return M.Word == Key.str() ||
                 (!M.Alias.empty() && M.Alias == Key.str());
        });
    if (Name == std::end(kMetrics)) {
      std::vector<std::string_view> Known;
      for (const MetricName &M : kMetrics)
        Known.push_back(M.Word);
      return unknownKey(Key, "a limit", Known);
    }
    if (std::ranges::find(Seen, Name->What) != Seen.end())
      return fail(Key.source(), fmt::format("{} and {} name the same limit",
                                            Name->Alias, Name->Word));
    Seen.push_back(Name->What);
    if (Of.Of == Subject::Kind::Site && Name->What == Metric::PeakBytes)
      return fail(Key.source(),
                  "peak_live_bytes is known of types and totals, not of sites");
    if (Of.Of != Subject::Kind::Totals && Name->What == Metric::PeakRss)
      return fail(Key.source(), "peak_rss_bytes is known of totals only");
    if (Of.Of == Subject::Kind::Site && Name->What == Metric::Alive)
      return fail(Key.source(),
                  "alive is known of types and totals, not of sites");
    if (Baseline)
      parseRule(Key, Node, *Name, Of);
    else
      parseLimit(Key, Node, *Name, Of);
  }
}

/// `totals`, `types` and `sites`.
void Parser::parseSubjects(const toml::table &In, const std::string &Phase,
                           bool Baseline) {
  std::vector<Metric> Seen;
  for (const auto &[Key, Node] : In) {
    const bool Totals = Key == "totals", Types = Key == "types";
    const bool Sites = Key == "sites";
    if (!Totals && !Types && !Sites) {
      if (Phase.empty() && !Baseline)
        continue; // The other keys of the file.
      return unknownKey(Key, Baseline ? "baseline" : "phases." + Phase,
                        std::array{"totals", "types", "sites"});
    }
    const toml::table *Table = tableOf(Key, Node);
    if (!Table)
      return;
    if (Totals) {
      parseMetrics(*Table, {Subject::Kind::Totals, "", Phase}, Baseline);
      continue;
    }
    for (const auto &[Glob, Limits] : *Table)
      if (const toml::table *Of = tableOf(Glob, Limits))
        parseMetrics(*Of,
                     {Types ? Subject::Kind::Type : Subject::Kind::Site,
                      std::string(Glob.str()), Phase},
                     Baseline);
  }
}

void Parser::parseTop(const toml::table &Top) {
  constexpr std::array kKeys = {"schema", "totals", "types",
                                "sites",  "phases", "baseline"};
  for (const auto &[Key, Node] : Top) {
    if (std::find(kKeys.begin(), kKeys.end(), Key.str()) == kKeys.end())
      return unknownKey(Key, "a budget", kKeys);
    if (Key == "schema") {
      const auto *Text = Node.as_string();
      if (!Text || Text->get() != "inmem-budget/1")
        return fail(Node.source(), "schema", "\"inmem-budget/1\"", found(Node));
    } else if (Key == "baseline") {
      if (const toml::table *Table = tableOf(Key, Node))
        parseSubjects(*Table, "", true);
    } else if (Key == "phases") {
      const toml::table *Phases = tableOf(Key, Node);
      if (!Phases)
        return;
      for (const auto &[Name, Part] : *Phases) {
        if (Name.str().empty())
          return fail(Name.source(), "phases", "the name of a phase",
                      "an empty name");
        if (const toml::table *Table = tableOf(Name, Part))
          parseSubjects(*Table, std::string(Name.str()), false);
      }
    }
  }
  parseSubjects(Top, "", false);
}

trace::Result<Budget> Parser::run(std::string_view Text) {
  const toml::parse_result Parsed = toml::parse(Text, std::string(Out.File));
  if (!Parsed) {
    fail(Parsed.error().source(), Parsed.error().description());
    return *Error;
  }
  parseTop(Parsed.table());
  if (Error)
    return *Error;
  // The library sorts keys, but people read from the top.
  const auto InOrder = [](const auto &A, const auto &B) {
    return std::tie(A.At.Line, A.At.Column) < std::tie(B.At.Line, B.At.Column);
  };
  std::sort(Out.Limits.begin(), Out.Limits.end(), InOrder);
  std::sort(Out.Baseline.begin(), Out.Baseline.end(), InOrder);
  return std::move(Out);
}

} // namespace

std::span<const MetricName> metricNames() { return kMetrics; }

const MetricName &nameOf(Metric What) {
  return kMetrics[static_cast<size_t>(What)];
}

std::string tomlQuoted(std::string_view Text) {
  const auto Bare = [](char C) {
    return (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z') ||
           (C >= '0' && C <= '9') || C == '_' || C == '-';
  };
  if (!Text.empty() && std::all_of(Text.begin(), Text.end(), Bare))
    return std::string(Text);
  const bool Literal = std::none_of(Text.begin(), Text.end(), [](char C) {
    return C == '\'' || static_cast<unsigned char>(C) < 0x20 || C == 0x7f;
  });
  if (Literal)
    return fmt::format("'{}'", Text);
  std::string Out = "\"";
  for (const char C : Text) {
    if (C == '"' || C == '\\')
      Out += '\\';
    if (static_cast<unsigned char>(C) < 0x20 || C == 0x7f)
      Out += fmt::format("\\u{:04x}", static_cast<unsigned char>(C));
    else
      Out += C;
  }
  return Out + '"';
}

std::string Subject::str() const {
  std::string In = Phase.empty() ? "" : "phases." + tomlQuoted(Phase) + '.';
  switch (Of) {
  case Kind::Totals:
    return In + "totals";
  case Kind::Type:
    return In + "types." + tomlQuoted(Glob);
  case Kind::Site:
    return In + "sites." + tomlQuoted(Glob);
  }
  return In;
}

std::string Limit::str() const {
  return Of.str() + ' ' + std::string(nameOf(What).Word);
}

std::string Limit::code() const {
  return Of.str() + ' ' + std::string(nameOf(What).code());
}

/// A glob without its backslashes; a type as reports name it.
static std::string readable(const Subject &Of) {
  std::string Plain;
  for (size_t I = 0; I < Of.Glob.size(); ++I) {
    if (Of.Glob[I] == '\\' && I + 1 < Of.Glob.size())
      ++I;
    Plain += Of.Glob[I];
  }
  if (Of.Of != Subject::Kind::Type)
    return Plain;
  const std::string Alias = aliasOf(Plain);
  return Alias.empty() ? simplifyName(Plain) : Alias;
}

std::string Limit::words() const {
  std::string Out(nameOf(What).Noun);
  switch (Of.Of) {
  case Subject::Kind::Totals:
    Out += " in all";
    break;
  case Subject::Kind::Type:
    Out += " of " + (Called.empty() ? readable(Of) : Called);
    break;
  case Subject::Kind::Site:
    Out += " at " + readable(Of);
    break;
  }
  return Of.Phase.empty() ? Out : Out + " in phase " + Of.Phase;
}

size_t Limit::nameIn(std::string_view Words) {
  for (const MetricName &M : metricNames())
    for (const std::string_view Of : {" of ", " at "})
      if (Words.starts_with(M.Noun) &&
          Words.substr(M.Noun.size()).starts_with(Of))
        return M.Noun.size() + Of.size();
  return Words.size();
}

uint64_t Tolerance::above(uint64_t Old) const {
  const double More = std::floor(static_cast<double>(Old) * Percent / 100);
  const uint64_t Extra =
      More >= 9e18 ? ~uint64_t{0} : static_cast<uint64_t>(More);
  uint64_t Sum = 0;
  if (__builtin_add_overflow(Old, Extra, &Sum) ||
      __builtin_add_overflow(Sum, Plus, &Sum))
    return ~uint64_t{0};
  return Sum;
}

std::string Tolerance::str() const {
  if (Plus == 0)
    return fmt::format("{} %", Percent);
  return Percent == 0 ? fmt::format("{}", Plus)
                      : fmt::format("{} % + {}", Percent, Plus);
}

std::optional<Tolerance> parseTolerance(std::string_view Text) {
  Tolerance Out;
  Text = trimmed(Text);
  if (const size_t Sign = Text.find('%'); Sign != std::string_view::npos) {
    const std::string_view Number = trimmed(Text.substr(0, Sign));
    const auto End = std::from_chars(
        Number.data(), Number.data() + Number.size(), Out.Percent);
    if (End.ec != std::errc() || End.ptr != Number.data() + Number.size() ||
        !(Out.Percent >= 0) || !std::isfinite(Out.Percent))
      return std::nullopt;
    Text = trimmed(Text.substr(Sign + 1));
    if (Text.empty())
      return Out;
    if (Text.front() != '+')
      return std::nullopt;
    Text = trimmed(Text.substr(1));
  }
  const auto Plus = parseBytes(Text);
  if (!Plus)
    return std::nullopt;
  Out.Plus = *Plus;
  return Out;
}

std::vector<std::string> Budget::phases() const {
  std::vector<std::string> Names;
  for (const Limit &L : Limits)
    if (!L.Of.Phase.empty() &&
        std::find(Names.begin(), Names.end(), L.Of.Phase) == Names.end())
      Names.push_back(L.Of.Phase);
  return Names;
}

trace::Result<Budget> parseBudget(std::string_view Text,
                                  const std::string &File) {
  return Parser(File).run(Text);
}

std::vector<BaselineRule> defaultBaseline(const Tolerance &By) {
  std::vector<BaselineRule> Rules;
  for (const auto Kind : {Subject::Kind::Totals, Subject::Kind::Type})
    for (const Metric What :
         {Metric::Blocks, Metric::Bytes, Metric::LiveBytes, Metric::PeakBytes})
      Rules.push_back(
          {{Kind, Kind == Subject::Kind::Type ? "*" : "", ""}, What, By, {}});
  return Rules;
}

} // namespace inmem::report
