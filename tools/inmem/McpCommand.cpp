//===- McpCommand.cpp - inmem mcp -----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Model Context Protocol over standard input and output: JSON-RPC 2.0, one
// message a line. Results are Markdown that fits into a context, or JSON if
// exact figures are requested.
//
//===----------------------------------------------------------------------===//
#include "Steps.h"
#include "cli/Command.h"
#include "cli/CommandLine.h"
#include "cli/JsonRpc.h"
#include "files/Inputs.h"
#include "files/Symbolizer.h"
#include "report/base/Units.h"
#include "report/base/Words.h"
#include "report/compare/Diff.h"
#include "report/findings/Findings.h"
#include "report/formats/JsonParts.h"
#include "report/formats/Reports.h"

#include <iostream>

namespace inmem::tools {

using namespace report;

namespace {

/// The result of a tool, or its error.
struct Said {
  std::string Text;
  bool Wrong = false;
  /// Notes about the traces, if Text does not contain them.
  std::vector<std::string> Notes = {};
};

Said wrong(std::string Text) {
  return {.Text = std::move(Text), .Wrong = true};
}

size_t numberOf(const Json &Arguments, const char *Key, size_t Otherwise) {
  const auto Found = Arguments.find(Key);
  return Found != Arguments.end() && Found->is_number_unsigned()
             ? std::min<size_t>(Found->get<size_t>(), 1000)
             : Otherwise;
}

trace::Result<Profile> profileOf(const std::string &File, const Json &Arguments,
                                 CallerResolver &Symbols) {
  auto Traces = readInputs({File});
  if (!Traces)
    return Traces.status();
  ProfileOptions Build;
  Build.Resolver = &Symbols;
  if (const std::string Type = textMember(Arguments, "type"); !Type.empty())
    Build.TypeGlobs = {Type};
  Build.Phase = textMember(Arguments, "phase");
  return buildProfile(*Traces, Build);
}

/// Sort keys of `report` and `sites`: words of `inmem report --sort`.
std::vector<std::string> sortWords() {
  std::vector<std::string> Out;
  for (const SortName &S : sortNames())
    Out.emplace_back(S.Word);
  return Out;
}

Said callReport(const Json &Arguments, By What) {
  const std::string File = textMember(Arguments, "file");
  Symbolizer Symbols;
  const auto P = profileOf(File, Arguments, Symbols);
  if (!P)
    return wrong("file: " + P.status().str());
  View V;
  V.Tables = {What};
  V.Top = numberOf(Arguments, "top", 10);
  const std::string Sort = textMember(Arguments, "sort", "bytes");
  const auto Order = std::ranges::find(sortNames(), Sort, &SortName::Word);
  if (Order == sortNames().end())
    return wrong("sort: expected " + listed(sortWords()) + ", found '" + Sort +
                 "'" + didYouMean(Sort, sortWords()));
  V.Order = Order->Order;
  if (What == By::Finding)
    return {.Text = findingsJson(*P, V).dump(1, ' ', false,
                                             Json::error_handler_t::replace),
            .Notes = P->Notes};
  return {.Text = printMarkdown(*P, V, File)};
}

Said callDiff(const Json &Arguments) {
  Symbolizer Symbols;
  const auto Old = profileOf(textMember(Arguments, "old"), Arguments, Symbols);
  if (!Old)
    return wrong("old: " + Old.status().str());
  const auto New = profileOf(textMember(Arguments, "new"), Arguments, Symbols);
  if (!New)
    return wrong("new: " + New.status().str());
  View V;
  V.Tables = {By::Type, By::Site};
  V.Top = numberOf(Arguments, "top", 10);
  Style Plain;
  Plain.Width = 100;
  std::vector<std::string> Notes = Old->Notes;
  Notes.insert(Notes.end(), New->Notes.begin(), New->Notes.end());
  return {.Text = printDiffText(compare(*Old, *New), V, Plain),
          .Notes = std::move(Notes)};
}

Json property(const char *Type, const char *Help) {
  return {{"type", Type}, {"description", Help}};
}

Json tool(const char *Name, const char *Help, Json Properties,
          const std::vector<const char *> &Required) {
  return {{"name", Name},
          {"description", Help},
          {"inputSchema",
           {{"type", "object"},
            {"properties", std::move(Properties)},
            {"additionalProperties", false},
            {"required", Required}}},
          {"annotations", {{"readOnlyHint", true}}}};
}

/// The tools that propose edits and the tools that try them.
std::vector<Json> fixTools(const Json &File) {
  Json Proposing = {
      {"file", File},
      {"database",
       property("string", "compile_commands.json, or the folder that has it")},
      {"rule", property("string", "only findings of this rule")},
      {"root", property("string", "the repository; the one of the current "
                                  "folder if not given")}};
  Json Verifying = Proposing;
  Verifying["build"] =
      property("string", "shell command that builds a fresh checkout with "
                         "inmem-clang++");
  Verifying["command"] =
      property("string", "shell command that runs the program");
  Verifying["test"] =
      property("string", "shell command that must succeed with each patch");
  Verifying["output"] = property("string", "a folder for the patches");
  Json Verify =
      tool("verify_fix",
           "Builds and runs each patch in a worktree, and says which "
           "save what they promise",
           std::move(Verifying), {"file", "database", "build", "command"});
  Verify["annotations"] = {{"readOnlyHint", false}, {"destructiveHint", false}};
  return {tool("propose_fix",
               "Patches for findings, as JSON, and why the rest has none",
               std::move(Proposing), {"file", "database"}),
          std::move(Verify)};
}

/// All tools, as clients see them.
const Json &toolList() {
  static const Json All = [] {
    const Json File = property("string", "path of a trace (*.inmem)");
    Json Top = property("integer", "rows, at most 1000; 10 if not given");
    Top["minimum"] = 0;
    const Json Type = property("string", "only types that match this glob");
    const Json Table = {
        {"file", File},
        {"top", Top},
        {"type", Type},
        {"sort",
         {{"type", "string"},
          {"enum", sortWords()},
          {"description", "what comes first; bytes if not given"}}},
        {"phase", property("string", "only this phase, or A..B")}};
    Json Out = Json{
        tool("report",
             "Totals, findings and the types that allocated most, as Markdown "
             "of at most 4000 characters",
             Table, {"file"}),
        tool("sites", "The places that allocated most, as Markdown", Table,
             {"file"}),
        tool("findings",
             "What would save most, with places and advice, as JSON",
             {{"file", File}}, {"file"}),
        tool("diff", "What changed between two traces, by type and site",
             {{"old", File}, {"new", File}, {"top", Top}, {"type", Type}},
             {"old", "new"})};
    for (Json &One : fixTools(File))
      Out.push_back(std::move(One));
    return Out;
  }();
  return All;
}

/// Returns an error message if a tool's arguments do not match its schema.
std::optional<std::string> wrongArguments(const Json &Tool,
                                          const Json &Arguments) {
  const Json &Schema = Tool["inputSchema"];
  const Json &Known = Schema["properties"];
  std::vector<std::string> Names;
  for (const auto &[Name, Unused] : Known.items())
    Names.push_back(Name);
  for (const auto &[Name, Value] : Arguments.items()) {
    const auto Found = Known.find(Name);
    if (Found == Known.end())
      return Name + ": the tool '" + Tool["name"].get<std::string>() +
             "' has no such parameter; it has " + listed(Names) +
             didYouMean(Name, Names);
    if (const bool IsText = (*Found)["type"] == "string";
        !Value.is_null() &&
        (IsText ? !Value.is_string() : !Value.is_number_unsigned()))
      return Name + ": expected " +
             (IsText ? "a string" : "a number, 0 or more") + ", found " +
             Value.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  for (const std::string Name : Schema["required"])
    if (textMember(Arguments, Name.c_str()).empty())
      return Name + ": expected " +
             Known[Name]["description"].get<std::string>() + ", found nothing";
  return std::nullopt;
}

Said callTool(const Json &Tool, const Json &Arguments) {
  if (const auto Wrong = wrongArguments(Tool, Arguments))
    return wrong(*Wrong);
  const Json &Name = Tool["name"];
  if (const auto Fixed = callFixTool(Name, Arguments))
    return {Fixed->Text, Fixed->Wrong};
  if (Name == "report")
    return callReport(Arguments, By::Type);
  if (Name == "sites")
    return callReport(Arguments, By::Site);
  if (Name == "findings")
    return callReport(Arguments, By::Finding);
  return callDiff(Arguments);
}

Json initialized(const Json &Params) {
  constexpr const char *kVersions[] = {"2025-06-18", "2025-03-26",
                                       "2024-11-05"};
  const std::string Asked = textMember(Params, "protocolVersion");
  const bool Known = std::ranges::find(kVersions, Asked) != std::end(kVersions);
  return {{"protocolVersion", Known ? Asked : kVersions[0]},
          {"capabilities", {{"tools", Json::object()}}},
          {"serverInfo", {{"name", "inmem"}, {"version", INMEM_VERSION}}},
          {"instructions",
           "Which C and C++ types a program allocated, where, and how long "
           "they lived. Begin with report; sites and findings say where; diff "
           "compares two runs."}};
}

/// The response to one message; null if it needs none.
Json answer(const Json &Message) {
  Json Error;
  const auto Call = rpcCall(Message, Error);
  if (!Call)
    return Error;
  if (Call->IsNotification || Call->Method.empty())
    return nullptr;
  const Json &Id = Call->Id, &Params = Call->Params;
  const std::string &Method = Call->Method;
  const auto Result = [&Id](Json Of) { return rpcResult(Id, std::move(Of)); };
  if (Method == "initialize")
    return Result(initialized(Params));
  if (Method == "ping")
    return Result(Json::object());
  if (Method == "tools/list")
    return Result({{"tools", toolList()}});
  if (Method != "tools/call")
    return rpcFailure(Id, kNoSuchMethod, "there is no method '" + Method + "'");
  const std::string Name = textMember(Params, "name");
  const Json &Tools = toolList();
  const auto Tool =
      std::find_if(Tools.begin(), Tools.end(),
                   [&](const Json &T) { return T["name"] == Name; });
  if (Tool == Tools.end())
    return rpcFailure(Id, kInvalidParameters,
                      "there is no tool '" + Name + "'");
  const auto Given = Params.find("arguments");
  const bool None = Given == Params.end() || Given->is_null();
  if (!None && !Given->is_object())
    return rpcFailure(Id, kInvalidParameters, "arguments: expected an object");
  const Said What = callTool(*Tool, None ? Json::object() : *Given);
  Json Content = Json::array();
  const auto Add = [&](const std::string &Text) {
    Content.push_back({{"type", "text"}, {"text", Text}});
  };
  Add(What.Text);
  for (const std::string &Note : What.Notes)
    Add("note: " + Note);
  return Result({{"content", std::move(Content)}, {"isError", What.Wrong}});
}

} // namespace

Action setUpMcp(CommandLine &App) {
  App.footer("A client starts it, and asks over standard input: tools report, "
             "sites, findings,\ndiff, propose_fix and verify_fix. For one that "
             "takes a command: `inmem "
             "mcp`.\n\nExamples:\n"
             "  inmem mcp <questions.jsonl >answers.jsonl");
  return []() -> Outcome {
    MessageReader In(Framing::Lines);
    std::string Line;
    while (std::getline(std::cin, Line)) {
      In.feed(Line + '\n');
      while (const auto Next = In.next()) {
        const Json Out = Next->Error.empty()
                             ? answer(Next->Message)
                             : rpcFailure(nullptr, kParseError, Next->Error);
        if (!Out.is_null())
          rpcSend(Framing::Lines, Out);
      }
    }
    return {};
  };
}

} // namespace inmem::tools
