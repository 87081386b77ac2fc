//===- Features.cpp - Hints, hovers, diagnostics --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lsp/Server.h"

#include "report/findings/RuleTable.h"

#include "live/Preload.h"

#include <algorithm>
#include <fmt/format.h>

namespace inmem::tools {

namespace fs = std::filesystem;
using namespace report;

Document *Server::documentOf(const Json &Params) {
  const auto At = Documents.find(
      textMember(Params.value("textDocument", Json::object()), "uri"));
  return At == Documents.end() ? nullptr : &At->second;
}

bool Server::hasHint(const LineRecord &R) const {
  if (Comparing && R.Bytes == R.OldBytes && R.Blocks == R.OldBlocks)
    return false;
  return 100 * Index->share(std::max(R.Bytes, R.OldBytes),
                            std::max(R.Blocks, R.OldBlocks)) >=
         Settings.Threshold;
}

const std::vector<ShownLine> &Server::allLines(Document &D) {
  Document::Placing &To = D.Placed;
  if (Index && To.Index == Generation && To.Edits == D.Edits &&
      To.Known == D.Follows.Known)
    return To.Lines;
  To.Lines.clear();
  To.Index = Generation;
  To.Edits = D.Edits;
  To.Known = D.Follows.Known;
  const FileRecord *F = fileOf(D);
  for (size_t I = 0; F && I < F->Count; ++I) {
    const LineRecord &R = Index->lines()[F->First + I];
    // A deleted line has a position only in the older text, which is unknown.
    const bool Gone = (R.Flags & LineRecord::kIsThere) == 0;
    if (const auto At = D.place(R.Line))
      To.Lines.push_back({&R, At->Line - 1, At->Changed || Gone});
  }
  std::ranges::sort(To.Lines, [](const ShownLine &A, const ShownLine &B) {
    return std::tuple(A.Line, A.Stale, ~A.Of->Bytes, A.Of->Line) <
           std::tuple(B.Line, B.Stale, ~B.Of->Bytes, B.Of->Line);
  });
  return To.Lines;
}

std::vector<ShownLine> Server::hintedLines(Document &D) {
  std::vector<ShownLine> Out;
  for (const ShownLine &S : allLines(D))
    // If several lines became one, show the largest allocator.
    if (hasHint(*S.Of) && (Out.empty() || Out.back().Line != S.Line))
      Out.push_back(S);
  return Out;
}

std::string Server::labelOf(const ShownLine &S) const {
  std::string Out(Index->label(*S.Of));
  return S.Stale ? Out + " (stale)" : Out;
}

LspSettings::Hints Server::hintKind() const {
  using Hints = LspSettings::Hints;
  if (Settings.Show != Hints::Auto)
    return Settings.Show;
  return can("textDocument/inlayHint") ? Hints::Inlay : Hints::Lens;
}

std::string Server::hints(const Json &Params) {
  Document *D = documentOf(Params);
  if (!D || hintKind() != LspSettings::Hints::Inlay)
    return "[]";
  const auto Range =
      Params.contains("range") ? rangeOf(Params["range"]) : std::nullopt;
  std::string Out;
  for (const ShownLine &S : hintedLines(*D)) {
    if (Range && (S.Line < Range->first.Line || S.Line > Range->second.Line))
      continue;
    Out += Out.empty() ? R"({"position":{"line":)" : R"(,{"position":{"line":)";
    Out += std::to_string(S.Line);
    Out += R"(,"character":)";
    Out += std::to_string(EditedText::width(D->Text.line(S.Line), In16));
    Out += R"(},"label":")";
    Out += labelOf(S);
    Out += R"(","paddingLeft":true})";
  }
  return '[' + Out + ']';
}

std::string Server::lenses(const Json &Params) {
  Document *D = documentOf(Params);
  if (!D || hintKind() != LspSettings::Hints::Lens)
    return "[]";
  const std::string Uri = Json(D->Uri).dump();
  std::string Out;
  for (const ShownLine &S : hintedLines(*D)) {
    const std::string Line = std::to_string(S.Line);
    const std::string At = R"({"line":)" + Line + R"(,"character":0})";
    Out += Out.empty() ? R"({"range":{"start":)" : R"(,{"range":{"start":)";
    Out += At;
    Out += R"(,"end":)";
    Out += At;
    Out += R"(},"command":{"title":")";
    Out += labelOf(S);
    Out += R"(","command":"inmem.open","arguments":[{"uri":)";
    Out += Uri;
    Out += R"(,"line":)";
    Out += Line;
    Out += "}]}}";
  }
  return '[' + Out + ']';
}

std::string Server::heat(const Json &Params) {
  Document *D = documentOf(Params);
  if (!D || !Index)
    return "[]";
  std::string Out;
  for (const ShownLine &S : hintedLines(*D)) {
    Out += Out.empty() ? R"({"line":)" : R"(,{"line":)";
    Out += std::to_string(S.Line);
    Out += R"(,"share":)";
    Out += Json(Index->share(S.Of->Bytes, S.Of->Blocks)).dump();
    Out += R"(,"stale":)";
    Out += S.Stale ? "true}" : "false}";
  }
  return '[' + Out + ']';
}

Json Server::hover(const Json &Params) {
  Document *D = documentOf(Params);
  const auto At = Params.contains("position") ? positionOf(Params["position"])
                                              : std::nullopt;
  if (!D || !At || !Index)
    return nullptr;
  std::string Text;
  constexpr size_t kClasses = 3;
  size_t Classes = 0;
  for (const StoredText &Of : Index->classes(std::string(D->wordAt(*At, In16))))
    if (++Classes <= kClasses)
      Text += Index->text(Of);
  const std::vector<ShownLine> &All = allLines(*D);
  // Several lines of the trace may have become one: show the first.
  if (const auto On =
          std::ranges::lower_bound(All, At->Line, {}, &ShownLine::Line);
      On != All.end() && On->Line == At->Line) {
    const ShownLine &S = *On;
    if (!Text.empty())
      Text += "---\n\n";
    if (S.Stale)
      Text += "*This line has changed since the run, or its text is not "
              "known.*\n\n";
    Text += Index->text(S.Of->Details);
  }
  if (Text.empty())
    return nullptr;
  Text += fmt::format("`{}`", fs::path(Wanted.Path).filename().string());
  return {{"contents", {{"kind", "markdown"}, {"value", Text}}}};
}

/// The source file of a finding's site, as named in the trace; empty if the
/// site has no line.
static std::string findingFile(const Json &Finding) {
  const Json &Site = Finding["site"];
  return Site["line"].is_number_unsigned() ? textMember(Site, "file")
                                           : std::string();
}

std::vector<size_t> Server::findingsIn(const Document &D) {
  std::vector<size_t> Out;
  if (!Index)
    return Out;
  const FileRecord *F = fileOf(D);
  const Json &All = Index->head()["findings"];
  for (size_t I = 0; I < All.size(); ++I) {
    const std::string File = findingFile(All[I]);
    if (File.empty())
      continue;
    if (F ? File == F->Path : std::ranges::count(pathsOf(File), D.Path) > 0)
      Out.push_back(I);
  }
  return Out;
}

std::string Server::docsUrl(const std::string &Rule) const {
  const auto Known = report::ruleNamed(Rule);
  const std::string Page(Known ? report::infoOf(*Known).Page : Rule);
  if (!Settings.Docs.empty())
    return Settings.Docs + (Settings.Docs.ends_with('/') ? "" : "/") +
           "findings.md#" + Page;
  std::error_code Error;
  const fs::path Installed =
      installPrefix() / "share" / "doc" / "inmem" / "docs" / "findings.md";
  return fs::exists(Installed, Error)
             ? uriOfPath(Installed.string()) + "#" + Page
             : std::string();
}

Json Server::diagnosticOf(const Json &Finding, size_t Number, TextPosition From,
                          TextPosition To, bool Stale) const {
  constexpr int kWarning = 2, kInformation = 3;
  const std::string Rule = Finding["rule"];
  std::string Text = Finding["about"].get<std::string>() + ": " +
                     Finding["message"].get<std::string>();
  if (const std::string Saves = textMember(Finding, "saves"); !Saves.empty())
    Text += "\n" + Saves;
  Text += "\n" + Finding["advice"].get<std::string>();
  if (Stale)
    Text += "\nThe line has changed since the run.";
  Json Out = {
      {"range", rangeJson(From, To)},
      {"severity", Finding["severity"] == "high" ? kWarning : kInformation},
      {"code", Rule},
      {"source", "inmem"},
      {"message", Text},
      {"data", {{"finding", Number}}}};
  if (const std::string Url = docsUrl(Rule); !Url.empty())
    Out["codeDescription"] = {{"href", Url}};
  return Out;
}

/// The range from the first non-blank character to the end of a line.
static std::pair<TextPosition, TextPosition>
spanOf(const EditedText &In, uint32_t Line, Columns Units) {
  const std::string_view Text = In.line(Line);
  const size_t First = std::min(Text.find_first_not_of(" \t"), Text.size());
  return {{Line, EditedText::width(Text.substr(0, First), Units)},
          {Line, EditedText::width(Text, Units)}};
}

void Server::publish(Document &D) {
  Json Out = Json::array();
  if (Settings.Diagnostics)
    for (const size_t I : findingsIn(D)) {
      const Json &Finding = Index->head()["findings"][I];
      const auto At = D.place(Finding["site"]["line"].get<uint32_t>());
      if (!At)
        continue;
      const auto [From, To] = spanOf(D.Text, At->Line - 1, In16);
      Out.push_back(diagnosticOf(Finding, I, From, To, At->Changed));
    }
  if (Out.empty() && !Published.contains(D.Uri))
    return;
  if (Out.empty())
    Published.erase(D.Uri);
  else
    Published.insert(D.Uri);
  notify("textDocument/publishDiagnostics",
         {{"uri", D.Uri}, {"diagnostics", std::move(Out)}});
}

/// Publishes findings of files that are not open, if they are in the workspace.
void Server::publishAll() {
  std::set<std::string> Before = Published;
  for (auto &[Uri, D] : Documents) {
    publish(D);
    Before.erase(Uri);
  }
  std::map<std::string, std::vector<size_t>> ByPath;
  if (Index && Settings.Diagnostics) {
    const Json &All = Index->head()["findings"];
    for (size_t I = 0; I < All.size(); ++I) {
      const std::string File = findingFile(All[I]);
      if (File.empty())
        continue;
      for (const std::string &Path : pathsOf(File)) {
        std::error_code Error;
        if (Path.starts_with(Root.string() + '/') &&
            fs::is_regular_file(Path, Error)) {
          ByPath[Path].push_back(I);
          break;
        }
      }
    }
  }
  for (const auto &[Path, Numbers] : ByPath) {
    const std::string Uri = uriOfPath(Path);
    if (std::ranges::any_of(Documents, [&](const auto &One) {
          return One.second.Path == Path;
        }))
      continue;
    Document D;
    D.Uri = Uri;
    D.Path = Path;
    D.Text.set(textOfFile(Path).value_or(""));
    D.Follows.Base = D.Text.text();
    if (const FileRecord *F = fileOf(D))
      D.Follows.Known =
          F->Hashes.empty() ||
          std::ranges::find(F->Hashes, sourceHash(D.Text.text())) !=
              F->Hashes.end();
    publish(D);
    Before.erase(Uri);
  }
  for (const std::string &Uri : Before) {
    Published.erase(Uri);
    notify("textDocument/publishDiagnostics",
           {{"uri", Uri}, {"diagnostics", Json::array()}});
  }
}

Json Server::findingsTree() {
  Json Out = Json::array();
  if (!Index)
    return Out;
  const Json &All = Index->head()["findings"];
  for (size_t I = 0; I < All.size(); ++I) {
    Json Row = {{"rule", All[I]["rule"]},
                {"severity", All[I]["severity"]},
                {"about", All[I]["about"]},
                {"message", All[I]["message"]},
                {"advice", All[I]["advice"]},
                {"saves", textMember(All[I], "saves")},
                {"function", All[I]["site"]["function"]}};
    if (const std::string Url = docsUrl(All[I]["rule"]); !Url.empty())
      Row["docs"] = Url;
    const std::string File = findingFile(All[I]);
    for (const std::string &Path :
         File.empty() ? std::vector<std::string>() : pathsOf(File)) {
      std::error_code Error;
      if (!fs::is_regular_file(Path, Error))
        continue;
      auto Line = All[I]["site"]["line"].get<uint32_t>();
      for (auto &[Uri, D] : Documents)
        if (D.Path == Path)
          if (const auto At = D.place(Line))
            Line = At->Line;
      Row["uri"] = uriOfPath(Path);
      Row["line"] = Line - 1;
      break;
    }
    Out.push_back(std::move(Row));
  }
  return Out;
}

} // namespace inmem::tools
