//===- DiffCommand.cpp - inmem diff ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ReportOptions.h"
#include "cli/Output.h"
#include "cli/Terminal.h"
#include "files/Inputs.h"
#include "files/Symbolizer.h"
#include "report/base/Units.h"
#include "report/base/Words.h"
#include "report/compare/Diff.h"
#include "report/compare/LineFigures.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

namespace inmem::tools {

using report::listed;

namespace {

/// The traces of a side: those in a folder, or the single file.
std::vector<std::string> runsIn(const std::string &Path) {
  std::error_code Error;
  if (!std::filesystem::is_directory(Path, Error))
    return {Path};
  std::vector<std::string> Files;
  for (const auto &Entry : std::filesystem::directory_iterator(Path, Error))
    if (Entry.path().extension() == ".inmem")
      Files.push_back(Entry.path().string());
  std::sort(Files.begin(), Files.end());
  return Files;
}

enum class DiffFormat { Text, Json, Html, Markdown };

/// The options of a command line.
struct DiffState {
  std::vector<std::string> Both, OldSet, NewSet;
  std::string Output, Annotated;
  std::optional<size_t> Context;
  DiffFormat Format = DiffFormat::Text;
  ColourMode Colour = ColourMode::Auto;
  std::string MinBytes = "0";
  std::vector<std::string> By{"type,site"}, Types, Sites;
  PartOptions Part;
  std::string OldPhase, NewPhase;
  size_t Top = 20;
};

/// The runs of one side.
std::optional<Outcome> readSide(const DiffState &S, const PartRequest &Part,
                                bool IsNew, report::ProfileOptions &Build,
                                std::vector<report::Profile> &Into) {
  const auto Files =
      S.Both.empty() ? (IsNew ? S.NewSet : S.OldSet) : runsIn(S.Both[IsNew]);
  if (Files.empty())
    return Outcome::usage(S.Both[IsNew] + ": no *.inmem in this folder");
  for (const std::string &File : Files) {
    const auto Traces = readInputs({File});
    if (!Traces)
      return Outcome::unreadable(Traces.status());
    if (const auto Damage = firstDamage(*Traces))
      return Outcome::unreadable(*Damage);
    if (auto Wrong = Part.apply(*Traces, Build))
      return Wrong;
    if (const std::string &Own = IsNew ? S.NewPhase : S.OldPhase; !Own.empty())
      Build.Phase = Own;
    const Progress Working(kAddingUp);
    auto P = report::buildProfile(*Traces, Build);
    if (!P)
      return Outcome::usage(P.status().str());
    Into.push_back(std::move(*P));
  }
  return std::nullopt;
}

} // namespace

static std::string printed(const DiffState &S, const report::Diff &D,
                           const report::View &V) {
  switch (S.Format) {
  case DiffFormat::Json:
    return report::printDiffJson(D, V);
  case DiffFormat::Html:
    return report::printDiffHtml(D, V);
  case DiffFormat::Text:
  case DiffFormat::Markdown: // only for --annotate
    break;
  }
  const bool ToFile = !S.Output.empty() && S.Output != "-";
  return report::printDiffText(
      D, V, styleFor(ToFile ? -1 : fileno(stdout), S.Colour));
}

/// The lines that allocated in \p File. Traces contain file names as passed to
/// the compiler. If the path ends with several of them, the longest one counts.
static std::map<uint32_t, report::LineChange> linesIn(const report::Diff &D,
                                                      const std::string &File) {
  namespace fs = std::filesystem;
  std::error_code Error;
  const std::string Path = fs::weakly_canonical(File, Error).string();
  const std::string Given = fs::path(File).lexically_normal().string();
  std::map<uint32_t, report::LineChange> Best;
  size_t Longest = 0;
  for (auto &[Name, Lines] : report::lineChangesOf(D)) {
    const std::string Plain = fs::path(Name).lexically_normal().string();
    if (Plain == Given)
      return Lines;
    if (Plain.size() > Longest && report::mayBeFile(Plain, Path)) {
      Longest = Plain.size();
      Best = Lines;
    }
  }
  return Best;
}

static Outcome annotate(const DiffState &S, const report::Diff &D) {
  report::AnnotatedFile Of;
  Of.Name = S.Annotated;
  std::ifstream In(S.Annotated, std::ios::binary);
  Of.Text = {std::istreambuf_iterator<char>(In), {}};
  if (!In.is_open() || In.bad())
    return {kUnreadable, S.Annotated + ": cannot read the source file"};
  Of.Lines = linesIn(D, S.Annotated);
  if (S.Context)
    Of.Context = static_cast<uint32_t>(std::min<size_t>(*S.Context, 1 << 20));
  const bool ToFile = !S.Output.empty() && S.Output != "-";
  const trace::Status Done = writeText(
      S.Output, stdout,
      S.Format == DiffFormat::Markdown
          ? report::annotateMarkdown(Of)
          : report::annotateText(
                Of, styleFor(ToFile ? -1 : fileno(stdout), S.Colour)));
  return Done.ok() ? Outcome() : Outcome::unwritable(Done);
}

static Outcome diff(const DiffState &S) {
  if (const bool Markdown = S.Format == DiffFormat::Markdown;
      S.Annotated.empty() ? Markdown || S.Context
                          : !Markdown && S.Format != DiffFormat::Text)
    return Outcome::usage(
        S.Annotated.empty()
            ? "diff: --format markdown and --context are for --annotate"
            : "diff --annotate: expected --format text or markdown");
  report::View V;
  if (const auto Wrong = parseBy(S.By, V.Tables))
    return Outcome::usage(*Wrong);
  for (const report::By Table : V.Tables)
    if (std::ranges::find(report::kDiffTables, Table) ==
        std::end(report::kDiffTables))
      return Outcome::usage("diff --by: expected " +
                            listed(byWords(report::kDiffTables)));
  const auto MinBytes = report::parseBytes(S.MinBytes);
  if (!MinBytes)
    return Outcome::usage("--min-bytes: expected a size, found '" + S.MinBytes +
                          "'");
  V.Top = S.Top;
  V.MinBytes = *MinBytes;
  PartRequest Part;
  if (const auto Wrong = S.Part.parse(Part))
    return *Wrong;
  Symbolizer Symbols;
  report::ProfileOptions Build;
  Build.TypeGlobs = splitList(S.Types);
  Build.SiteGlobs = splitList(S.Sites);
  Build.Resolver = &Symbols;
  if (S.Both.empty()
          ? S.OldSet.empty() || S.NewSet.empty()
          : S.Both.size() != 2 || !S.OldSet.empty() || !S.NewSet.empty())
    return Outcome::usage(
        "diff: expected OLD and NEW, or --old TRACE... and --new TRACE...");
  std::vector<report::Profile> Sides[2];
  for (const bool IsNew : {false, true})
    if (const auto Wrong = readSide(S, Part, IsNew, Build, Sides[IsNew]))
      return *Wrong;
  std::optional<Progress> Working("comparing");
  const report::Diff D = report::compare(Sides[0], Sides[1]);
  const std::string Text =
      S.Annotated.empty() ? printed(S, D, V) : std::string();
  Working.reset();
  if (!S.Annotated.empty()) {
    if (Outcome Out = annotate(S, D); Out.Code != kDone)
      return Out;
  } else if (const trace::Status Done = writeText(S.Output, stdout, Text);
             !Done.ok()) {
    return Outcome::unwritable(Done);
  }
  for (const auto &Side : Sides)
    for (const report::Profile &P : Side)
      printNotes(P);
  return {};
}

Action setUpDiff(CommandLine &App) {
  const auto S = std::make_shared<DiffState>();
  App.option("OLD NEW", S->Both,
             "a trace, or a folder of traces, before and after")
      .between(0, 2)
      .reads();
  App.option("--old", S->OldSet, "traces of several runs before")
      .valueName("TRACE...")
      .reads();
  App.option("--new", S->NewSet, "traces of several runs after")
      .valueName("TRACE...")
      .reads();
  App.option("--by", S->By,
             "rows: " + listed(byWords(report::kDiffTables)) +
                 "; several with commas")
      .suggests(byWords(report::kDiffTables))
      .valueName("WHAT")
      .oneValue()
      .showDefault();
  App.option("--top", S->Top, "rows a table; 0: all")
      .valueName("N")
      .showDefault();
  App.choice("--format", S->Format,
             {{"text", DiffFormat::Text},
              {"json", DiffFormat::Json},
              {"html", DiffFormat::Html},
              {"markdown", DiffFormat::Markdown}},
             "{}; markdown is for --annotate")
      .valueName("NAME")
      .showDefault();
  App.option("--annotate", S->Annotated,
             "print this source file, with bytes of both sides next to each "
             "line that allocates")
      .valueName("FILE")
      .reads();
  App.option("--context", S->Context,
             "with --annotate, only N lines around these")
      .valueName("N");
  addGlobOptions(App, S->Types, S->Sites);
  S->Part.addTo(App);
  App.option("--old-phase", S->OldPhase, "--phase of OLD alone")
      .valueName("NAME");
  App.option("--new-phase", S->NewPhase, "--phase of NEW alone")
      .valueName("NAME");
  App.option("--min-bytes", S->MinBytes, "leave out smaller rows")
      .valueName("SIZE")
      .showDefault();
  addColourOption(App, S->Colour);
  App.option("-o,--output", S->Output, "write to a file")
      .valueName("FILE")
      .writes();
  App.footer(
      "Sites match by function, file and type, so that moved lines do "
      "not count.\nOf several runs a side, figures are medians; a change "
      "within what runs differ by is noise.\n\nExamples:\n"
      "  inmem diff before.inmem after.inmem\n"
      "  inmem diff --by type --format json old.inmem new.inmem\n"
      "  inmem diff --by stack old.inmem new.inmem\n"
      "  inmem diff --annotate src/a.cpp --context 3 old.inmem new.inmem\n"
      "  inmem diff --format html -o diff.html --old main*.inmem --new "
      "branch*.inmem\n"
      "  inmem diff --old-phase warmup --new-phase steady a.inmem a.inmem");
  return [S] { return diff(*S); };
}

} // namespace inmem::tools
