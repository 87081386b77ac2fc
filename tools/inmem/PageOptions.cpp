//===- PageOptions.cpp - Traces to pages ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PageOptions.h"

#include "cli/Output.h"
#include "cli/OutputFile.h"
#include "cli/Terminal.h"
#include "files/Inputs.h"
#include "files/Symbolizer.h"
#include "heap/SnapshotViews.h"
#include "report/base/Units.h"
#include "report/compare/Diff.h"
#include "report/formats/Page.h"
#include "report/formats/PageData.h"
#include "report/model/OverTime.h"
#include "trace/text/Text.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace inmem::tools {

using namespace report;

void PageChoice::addTo(CommandLine &App) {
  addGlobOptions(App, Types, Sites);
  App.option("--limit", Limit,
             "bytes of compressed data in the page: rare stacks are added to "
             "their callers until it fits; 0: none")
      .valueName("SIZE")
      .showDefault();
  App.option("--source", SourceRoot,
             "where source files with relative paths are; the current folder "
             "otherwise")
      .valueName("DIR");
  App.option("--editor", Editor,
             "the links that open a line in an editor: vscode, vscodium, "
             "cursor, zed, idea, none, or a template such as "
             "'myeditor://open?file={file}&line={line}'")
      .valueName("NAME")
      .showDefault();
  App.flag("--no-source", NoSource, "no source text in the page");
  App.flag("--no-symbols", NoSymbols,
           "do not look into programs and libraries for names");
}

/// The link template of an editor; nullopt for an unknown editor, and for links
/// that would run code in the page.
static std::optional<std::string> editorTemplate(std::string_view Name) {
  constexpr std::pair<std::string_view, std::string_view> kKnown[] = {
      {"none", ""},
      {"vscode", "vscode://file{file}:{line}"},
      {"vscodium", "vscodium://file{file}:{line}"},
      {"cursor", "cursor://file{file}:{line}"},
      {"zed", "zed://file{file}:{line}"},
      {"idea", "idea://open?file={file}&line={line}"}};
  for (const auto &[Known, Template] : kKnown)
    if (Name == Known || (!Template.empty() && Name == Template))
      return std::string(Template);
  const std::string_view Scheme = Name.substr(0, Name.find(':'));
  const auto IsLetter = [](char C) {
    return (C >= 'a' && C <= 'z') || (C >= '0' && C <= '9') || C == '+' ||
           C == '-' || C == '.';
  };
  if (Scheme.size() == Name.size() || Scheme.empty() ||
      !std::ranges::all_of(Scheme, IsLetter) ||
      Name.find("{file}") == std::string_view::npos)
    return std::nullopt;
  for (const std::string_view Refused :
       {"javascript", "data", "vbscript", "blob", "file"})
    if (Scheme == Refused)
      return std::nullopt;
  return std::string(Name);
}

std::optional<Outcome> PageChoice::parse() {
  const auto Parsed = parseBytes(Limit);
  if (!Parsed)
    return Outcome::usage("--limit: expected a size such as 3500k, found '" +
                          Limit + "'");
  MostBytes = *Parsed;
  const auto Template = editorTemplate(Editor);
  if (!Template)
    return Outcome::usage("--editor: expected vscode, vscodium, cursor, zed, "
                          "idea, none, or SCHEME: with {file} and {line}, "
                          "found '" +
                          Editor + "'");
  Editor = *Template;
  return std::nullopt;
}

/// The text of a file, unless it is binary or very long. \param Read receives
/// its path
static std::optional<PageOptions::SourceFile>
sourceText(const std::string &Root, const std::string &File,
           std::vector<std::string> &Read) {
  namespace fs = std::filesystem;
  fs::path Path(File);
  if (Path.is_relative() && !Root.empty())
    Path = Root / Path;
  std::error_code Error;
  constexpr uintmax_t kMost = 512 << 10;
  if (!fs::is_regular_file(Path, Error) || fs::file_size(Path, Error) > kMost)
    return std::nullopt;
  std::ifstream In(Path, std::ios::binary);
  std::string Text{std::istreambuf_iterator<char>(In), {}};
  if (!In || Text.find('\0') != std::string::npos)
    return std::nullopt;
  Read.push_back(Path.string());
  return PageOptions::SourceFile{
      std::move(Text), fs::absolute(Path, Error).lexically_normal().string()};
}

std::string pageLabel(const std::vector<std::string> &Files) {
  std::string Label = std::filesystem::path(Files[0]).filename().string();
  if (Files.size() > 1)
    Label += " and " + std::to_string(Files.size() - 1) + " more";
  return Label;
}

trace::Result<PageInput> readPageInput(const std::vector<std::string> &Files) {
  auto Read = readInputs(Files);
  if (!Read)
    return Read.status();
  return PageInput{std::move(*Read), pageLabel(Files)};
}

std::string snapshotBeside(const std::string &TraceFile) {
  namespace fs = std::filesystem;
  fs::path Trace(TraceFile);
  if (Trace.extension() == ".gz" || Trace.extension() == ".zst")
    Trace.replace_extension();
  const std::string Stem = Trace.replace_extension().string();
  std::string Newest;
  std::error_code Error;
  for (unsigned Number = 1;; ++Number) {
    const std::string Infix = Number > 1 ? '.' + std::to_string(Number) : "";
    const std::string File = Stem + Infix + ".heap";
    if (!fs::is_regular_file(fs::symlink_status(File, Error)))
      return Newest;
    Newest = File;
  }
}

trace::Result<Json> snapshotFor(const std::vector<PageInput> &Sides,
                                const std::string &File) {
  Json Out = Json::object();
  const bool IsOne = Sides.size() == 1 && Sides[0].Traces.size() == 1;
  const std::string Found = !File.empty() ? File
                            : IsOne
                                ? snapshotBeside(Sides[0].Traces[0].fileName())
                                : "";
  if (Found.empty())
    return Out;
  const auto H = readNamedHeap(Found);
  if (!H && !File.empty())
    return H.status();
  // The snapshot with that name may belong to another program or an earlier
  // run.
  const bool IsOfRun =
      H && (!File.empty() || H->Header.Pid == Sides[0].Traces[0].Header.Pid);
  if (IsOfRun && H->hasGraph())
    Out["heap"] = heap::pageOf(*H, heap::analyse(*H));
  if (IsOfRun && H->hasResidency())
    Out["resident"] = heap::residencyPage(*H);
  return Out;
}

PageResult makePage(const std::vector<PageInput> &Inputs,
                    const PageChoice &Choice, const report::Json &Extra) {
  PageResult Out;
  const Progress Working("making the page");
  Symbolizer Symbols;
  ProfileOptions Build;
  Build.TypeGlobs = splitList(Choice.Types);
  Build.SiteGlobs = splitList(Choice.Sites);
  if (!Choice.NoSymbols)
    Build.Resolver = &Symbols;
  std::vector<Profile> Profiles;
  std::vector<PageSide> Sides;
  Profiles.reserve(Inputs.size());
  for (const PageInput &Side : Inputs) {
    auto P = buildProfile(Side.Traces, Build);
    if (!P) {
      Out.How = Outcome::usage(P.status().str());
      return Out;
    }
    constexpr size_t kPhases = 100;
    if (auto Phases = phasesOf(Side.Traces, Build, kPhases))
      P->Phases = std::move(*Phases);
    Out.Notes.insert(Out.Notes.end(), P->Notes.begin(), P->Notes.end());
    Profiles.push_back(std::move(*P));
    Sides.push_back({Profiles.back(), Side.Traces, Side.Label});
  }
  Json Difference;
  if (Sides.size() == 2) {
    View V;
    V.Tables = {By::Type, By::Site};
    Difference = Json::parse(printDiffJson(compare(Profiles[0], Profiles[1]), V,
                                           /*Named=*/true));
  }
  PageOptions With;
  With.MostBytes = Choice.MostBytes;
  With.Extra = Extra;
  With.Extra["editor"] = Choice.Editor;
  if (!Choice.NoSource)
    With.Source = [&](const std::string &File) {
      auto Text = sourceText(Choice.SourceRoot, File, Out.Sources);
      if (!File.starts_with('/') && Choice.SourceRoot.empty())
        for (const Profile &P : Profiles)
          for (const std::string &Folder : P.CompileFolders)
            if (!Text)
              Text = sourceText({}, Folder + File, Out.Sources);
      return Text;
    };
  Out.Data = pageData(Sides, Difference, With);
  for (const PageInput &Side : Inputs)
    if (const auto Damage = firstDamage(Side.Traces))
      Out.How = Outcome::unreadable(*Damage);
  return Out;
}

Outcome writePage(const PageResult &Page, const std::string &To) {
  if (Page.Data.empty())
    return Page.How;
  for (const std::string &Source : Page.Sources)
    if (isSameFile(Source, To))
      return Outcome::usage(trace::escaped(Source) +
                            " is shown on the page and is the output");
  if (const trace::Status Done = writeText(
          To, stdout, report::pageHtml(Page.Data, report::PageUse::File));
      !Done.ok())
    return Outcome::unwritable(Done);
  // The page contains the notes, too, so after an error print only the error.
  if (Page.How.Message.empty())
    for (const std::string &Note : Page.Notes)
      std::fprintf(stderr, "inmem: %s\n", trace::escaped(Note).c_str());
  return Page.How;
}

} // namespace inmem::tools
