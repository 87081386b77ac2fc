//===- FixCommand.cpp - inmem fix -----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects options and findings; inmem-fix, which contains Clang, does the
// work.
//
//===----------------------------------------------------------------------===//
#include "cli/Command.h"
#include "live/FixRequest.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace inmem::tools {

namespace {

struct FixState {
  std::vector<std::string> Files, Rules, Command;
  std::string Database, Root, Folder, Yaml, Sarif, Github, Build, Test;
  size_t Runs = 3, Timeout = 600;
  bool List = false, Apply = false, IgnoreOutput = false;
};

/// The mode and its output. For wrong usage, returns an empty mode and sets \p
/// Why.
std::string modeOf(const FixState &S, std::string &Output, std::string &Why) {
  std::vector<std::pair<std::string, std::string>> Modes;
  const auto Add = [&](bool Given, const char *Mode, const std::string &To) {
    if (Given)
      Modes.emplace_back(Mode, To);
  };
  const bool Verifies = !S.Build.empty();
  Add(S.List, "list", "");
  Add(S.Apply, "apply", "");
  Add(!S.Yaml.empty(), "yaml", S.Yaml);
  Add(!S.Sarif.empty(), "sarif", S.Sarif);
  Add(!S.Github.empty(), "github", S.Github);
  Add(Verifies, "verify", S.Folder);
  Add(!S.Folder.empty() && !Verifies, "patches", S.Folder);
  if (Modes.size() > 1) {
    Why = "fix: expected one of --list, --apply, --output, --yaml, --sarif, "
          "--github and --verify";
    return {};
  }
  if (Verifies == S.Command.empty()) {
    Why = Verifies ? "fix: --verify needs a program to run: -- CMD..."
                   : "fix: a program to run is for --verify BUILD";
    return {};
  }
  if (Modes.empty())
    return "list";
  Output = Modes[0].second;
  return Modes[0].first;
}

Outcome fix(const FixState &S) {
  std::string Output, Why;
  const std::string Mode = modeOf(S, Output, Why);
  if (Mode.empty())
    return Outcome::usage(Why);
  auto Request = fixRequest(S.Files, S.Root);
  if (!Request)
    return Outcome::unreadable(Request.status());
  (*Request)["mode"] = Mode;
  (*Request)["output"] = Output;
  (*Request)["database"] = S.Database;
  (*Request)["rules"] = S.Rules;
  (*Request)["build"] = S.Build;
  (*Request)["test"] = S.Test;
  (*Request)["command"] = S.Command;
  (*Request)["runs"] = S.Runs;
  (*Request)["timeout"] = S.Timeout;
  (*Request)["ignore_output"] = S.IgnoreOutput;
  auto Program = findFix();
  if (!Program)
    return {kUnreadable, "fix: " + Program.status().str()};
  std::string Path = passRequest(*Request);
  char *Arguments[] = {Program->data(), Path.data(), nullptr};
  if (!Path.empty())
    execv(Program->c_str(), Arguments);
  return {kUnreadable, "fix: cannot run " + *Program + ": " +
                           std::strerror(errno) +
                           "; build or install inmem as a whole"};
}

} // namespace

Action setUpFix(CommandLine &App) {
  const auto S = std::make_shared<FixState>();
  App.option("FILE", S->Files, "traces of the program").required().reads();
  App.option("-p,--database", S->Database,
             "compile_commands.json, or the folder that has it")
      .valueName("BUILD")
      .required();
  App.flag("--list", S->List,
           "what can be fixed, and why the rest cannot (the default)");
  App.option("-o,--output", S->Folder,
             "write a patch for each finding, and its replacements as YAML; "
             "with --verify helpful ones, and what was measured")
      .valueName("DIR");
  App.flag("--apply", S->Apply, "edit the files in place");
  App.option("--yaml", S->Yaml,
             "all edits for clang-apply-replacements, in one file")
      .valueName("FILE")
      .writes();
  App.option("--sarif", S->Sarif, "findings as SARIF, with fixes")
      .valueName("FILE")
      .writes();
  App.option("--github", S->Github,
             "review comments with suggestions, a JSON object a line")
      .valueName("FILE")
      .writes();
  App.option("--rule", S->Rules, "only findings of this rule; repeatable")
      .valueName("RULE")
      .oneValue();
  App.option("--root", S->Root,
             "the repository: files outside of it are not edited. Default: "
             "the one of this folder")
      .valueName("DIR");
  App.option("--verify", S->Build,
             "build each patch with this command in a tree of its own, run "
             "CMD, and keep what helps")
      .valueName("BUILD");
  App.option("--test", S->Test, "a command that must succeed with each patch")
      .valueName("CMD");
  App.option("--runs", S->Runs, "runs before and after each patch, in turn")
      .valueName("N")
      .showDefault();
  App.option("--timeout", S->Timeout,
             "seconds after which a build, a test or a run has failed")
      .valueName("SECONDS")
      .showDefault();
  App.flag("--ignore-output", S->IgnoreOutput,
           "CMD prints something else each time");
  App.commandBehindDashes(S->Command);
  App.footer(
      "Turns findings into edits that are checked on the syntax tree; "
      "docs/fix.md names the\nconditions of each. After -- comes the program "
      "that --verify runs, as from this folder.\n\nExamples:\n"
      "  inmem fix app.inmem -p build\n"
      "  inmem fix app.inmem -p build -o patches\n"
      "  inmem fix app.inmem -p build --verify 'make -j4' --test 'make test' "
      "-- ./app input.txt");
  return [S]() -> Outcome { return fix(*S); };
}

} // namespace inmem::tools
