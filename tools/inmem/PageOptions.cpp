//===- PageOptions.cpp - Traces to pages ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PageOptions.h"

#include "Inputs.h"
#include "Symbolizer.h"
#include "report/compare/Diff.h"
#include "report/formats/PageData.h"
#include "report/model/PhaseProfiles.h"
#include "report/text/Units.h"

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
  App.flag("--no-source", NoSource, "no source text in the page");
  App.flag("--no-symbols", NoSymbols,
           "do not look into programs and libraries for names");
}

std::optional<Outcome> PageChoice::check() const {
  if (!parseBytes(Limit))
    return Outcome::usage("--limit: expected a size such as 3500k, found '" +
                          Limit + "'");
  return std::nullopt;
}

/// The text of a file, unless it is no text or very long.
static std::optional<std::string> sourceText(const std::string &Root,
                                             const std::string &File) {
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
  return Text;
}

PageResult makePage(const std::vector<std::string> &Files,
                    const std::vector<std::string> &New,
                    const PageChoice &Choice, const report::Json &Extra) {
  PageResult Out;
  Symbolizer Symbols;
  ProfileOptions Build;
  Build.TypeGlobs = splitList(Choice.Types);
  Build.SiteGlobs = splitList(Choice.Sites);
  if (!Choice.NoSymbols)
    Build.Resolver = &Symbols;
  std::vector<trace::Trace> Traces[2];
  std::vector<Profile> Profiles;
  std::vector<PageSide> Sides;
  Profiles.reserve(2);
  for (const bool IsNew : {false, true}) {
    const std::vector<std::string> &Of = IsNew ? New : Files;
    if (Of.empty())
      continue;
    auto Read = readInputs(Of);
    if (!Read) {
      Out.How = Outcome::unreadable(Read.status());
      return Out;
    }
    Traces[IsNew] = std::move(*Read);
    auto P = buildProfile(Traces[IsNew], Build);
    if (!P) {
      Out.How = Outcome::usage(P.status().str());
      return Out;
    }
    constexpr size_t kPhases = 100;
    if (auto Phases = phasesOf(Traces[IsNew], Build, kPhases))
      P->Phases = std::move(*Phases);
    for (const std::string &Note : P->Notes)
      Out.Notes.push_back(Note);
    Profiles.push_back(std::move(*P));
    std::string Label = std::filesystem::path(Of[0]).filename().string();
    if (Of.size() > 1)
      Label += " and " + std::to_string(Of.size() - 1) + " more";
    Sides.push_back({Profiles.back(), Traces[IsNew], std::move(Label)});
  }
  Json Difference;
  if (Sides.size() == 2) {
    View V;
    V.Tables = {By::Type, By::Site};
    Difference =
        Json::parse(printDiffJson(compare(Profiles[0], Profiles[1]), V));
  }
  PageOptions With;
  With.MostBytes = *parseBytes(Choice.Limit);
  With.Extra = Extra;
  if (!Choice.NoSource)
    With.Source = [&Choice](const std::string &File) {
      return sourceText(Choice.SourceRoot, File);
    };
  Out.Data = pageData(Sides, Difference, With);
  for (const auto &Side : Traces)
    if (const auto Damage = firstDamage(Side))
      Out.How = Outcome::unreadable(*Damage);
  return Out;
}

} // namespace inmem::tools
