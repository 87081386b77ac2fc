//===- Actions.cpp - Code actions -----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lsp/Server.h"

#include "report/base/Words.h"
#include "report/compare/Budget.h"

#include <algorithm>
#include <fmt/format.h>

namespace inmem::tools {

namespace fs = std::filesystem;
using report::Json;

/// True if a client that requests \p Only accepts actions of \p Kind.
static bool wants(const Json &Only, const std::string &Kind) {
  if (!Only.is_array() || Only.empty())
    return true;
  return std::ranges::any_of(Only, [&](const Json &One) {
    return One.is_string() && (One == Kind || One == "" ||
                               Kind.starts_with(One.get<std::string>() + '.'));
  });
}

Json Server::codeActions(const Json &Params) {
  Json Out = Json::array();
  Document *D = documentOf(Params);
  const auto Selected =
      Params.contains("range") ? rangeOf(Params["range"]) : std::nullopt;
  if (!D || !Selected || !Index)
    return Out;
  const Json Kinds =
      Params.value("context", Json::object()).value("only", Json::array());
  const bool Literals = can("textDocument/codeAction/codeActionLiteralSupport");
  const auto Add = [&](const std::string &Title, const char *Kind, Json Command,
                       const Json &Rest) {
    if (!wants(Kinds, Kind))
      return;
    if (!Literals) {
      if (!Command.is_null())
        Out.push_back(std::move(Command));
      return;
    }
    Json Action = {{"title", Title}, {"kind", Kind}};
    if (!Command.is_null())
      Action["command"] = std::move(Command);
    Action.update(Rest);
    Out.push_back(std::move(Action));
  };
  const auto Covers = [&](uint32_t Line) {
    return Line >= Selected->first.Line && Line <= Selected->second.Line;
  };
  for (const size_t I : findingsIn(*D)) {
    const Json &Finding = Index->head()["findings"][I];
    const auto At = D->place(Finding["site"]["line"].get<uint32_t>());
    if (!At || !Covers(At->Line - 1))
      continue;
    const std::string Title = "Apply the edit of inmem fix (" +
                              Finding["rule"].get<std::string>() + ")";
    Json Rest = Json::object();
    const TextPosition From{At->Line - 1, 0};
    Rest["diagnostics"] = {diagnosticOf(
        Finding, I, From,
        {From.Line, EditedText::width(D->Text.line(From.Line), In16)},
        At->Changed)};
    Add(Title, "quickfix",
        {{"title", Title},
         {"command", "inmem.fix"},
         {"arguments", {{{"finding", I}}}}},
        Rest);
  }
  for (const ShownLine &S : allLines(*D)) {
    if (!Covers(S.Line))
      continue;
    const std::string Why = "Why does this line allocate? (opens the page)";
    Add(Why, "refactor",
        {{"title", Why},
         {"command", "inmem.open"},
         {"arguments", {{{"uri", D->Uri}, {"line", S.Line}}}}},
        Json::object());
    if (const Json Edit = budgetEdit(*D, S); !Edit.is_null() && Literals)
      Add("Add a budget for this line", "refactor", nullptr, {{"edit", Edit}});
    break; // only the first line of a selection
  }
  return Out;
}

/// The edit that adds a line's allocations to the budget file as limits; null
/// if it already has them, or the client cannot create a file.
Json Server::budgetEdit(const Document &D, const ShownLine &S) const {
  const fs::path Path = fs::weakly_canonical(Root / Settings.Budget);
  const std::string Uri = uriOfPath(Path.string());
  std::string Text;
  bool Exists = true;
  if (const auto Open = Documents.find(Uri); Open != Documents.end()) {
    Text = Open->second.Text.text();
  } else {
    const auto OnDisk = textOfFile(Path.string());
    Exists = OnDisk.has_value();
    Text = OnDisk.value_or("");
  }
  std::string File = D.Path;
  if (File.starts_with(Root.string() + '/'))
    File = File.substr(Root.string().size() + 1);
  const std::string Table =
      fmt::format("[sites.{}]",
                  report::tomlQuoted(
                      fmt::format("*{}:{}", report::globOf(File), S.Line + 1)));
  if (Text.find(Table) != std::string::npos)
    return nullptr;
  const EditedText Old(Text);
  const auto Last = static_cast<uint32_t>(Old.lines() - 1);
  const TextPosition End{Last, EditedText::width(Old.line(Last), In16)};
  std::string Added;
  if (!Text.empty())
    Added = Text.ends_with('\n') ? "\n" : "\n\n";
  Added += fmt::format("{}\nblocks = {}\nbytes = {}\n", Table, S.Of->Blocks,
                       S.Of->Bytes);
  const Json Edits = {{{"range", rangeJson(End, End)}, {"newText", Added}}};
  if (Exists)
    return {{"changes", {{Uri, Edits}}}};
  const Json::json_pointer At("/"
                              "workspace/workspaceEdit/resourceOperations");
  if (!Client.contains(At) || !Client[At].is_array() ||
      std::ranges::find(Client[At], "create") == Client[At].end())
    return nullptr;
  return {{"documentChanges",
           {{{"kind", "create"}, {"uri", Uri}},
            {{"textDocument", {{"uri", Uri}, {"version", nullptr}}},
             {"edits", Edits}}}}};
}

Json editsOfDiff(const std::string &Diff, const std::string &Root) {
  Json Out = Json::object();
  std::string Uri, With;
  uint32_t Old = 0, First = 0; // 0-based lines
  const auto Flush = [&] {
    if (!Uri.empty() && (Old > First || !With.empty()))
      Out[Uri].push_back(
          {{"range", rangeJson({First, 0}, {Old, 0})}, {"newText", With}});
    With.clear();
    First = Old;
  };
  std::string_view Rest = Diff;
  while (!Rest.empty()) {
    const size_t End = std::min(Rest.find('\n'), Rest.size() - 1) + 1;
    const std::string_view Line = Rest.substr(0, End);
    Rest.remove_prefix(End);
    if (Line.starts_with("--- ")) {
      Flush();
    } else if (Line.starts_with("+++ b/")) {
      std::string Path(Line.substr(6));
      while (Path.ends_with('\n') || Path.ends_with('\r'))
        Path.pop_back();
      Uri = uriOfPath((fs::path(Root) / Path).lexically_normal().string());
    } else if (Line.starts_with("@@ -")) {
      Flush();
      const auto Number =
          std::strtoul(std::string(Line.substr(4, 12)).c_str(), nullptr, 10);
      // A hunk that only adds gives the line before it.
      const bool Adds = Line.find(",0 +") != std::string_view::npos;
      Old = First = static_cast<uint32_t>(Number ? Number - !Adds : 0);
    } else if (Line.starts_with('-')) {
      ++Old;
    } else if (Line.starts_with('+')) {
      With += Line.substr(1);
    } else if (Line.starts_with(' ')) {
      Flush();
      First = ++Old;
    }
  }
  Flush();
  return Out;
}

} // namespace inmem::tools
