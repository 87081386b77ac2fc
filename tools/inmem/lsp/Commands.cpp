//===- Commands.cpp - workspace/executeCommand ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lsp/Server.h"

#include "cli/Output.h"
#include "cli/WebServer.h"
#include "live/FixRequest.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

namespace inmem::tools {

namespace fs = std::filesystem;
using report::Json;

static std::string ownProgram() {
  std::error_code Error;
  return fs::read_symlink("/proc/self/exe", Error).string();
}

/// The last lines of some output, for a message.
static std::string endOf(std::string Text) {
  constexpr size_t kMost = 400;
  while (Text.ends_with('\n'))
    Text.pop_back();
  if (Text.size() <= kMost)
    return Text;
  const size_t From = Text.find('\n', Text.size() - kMost);
  return Text.substr(From == std::string::npos ? Text.size() - kMost
                                               : From + 1);
}

void Server::done(const Json &Id, Json Result) const {
  send(rpcResult(Id, std::move(Result)));
}

void Server::failed(const Json &Id, const std::string &Text) const {
  show(Text, 2);
  send(rpcFailure(Id, kRequestFailed, Text));
}

void Server::execute(const Json &Id, const Json &Params) {
  const std::string Name = textMember(Params, "command");
  Json Argument = Json::object();
  if (const auto All = Params.find("arguments");
      All != Params.end() && All->is_array() && !All->empty() &&
      (*All)[0].is_object())
    Argument = (*All)[0];
  if (Name == "inmem.run")
    return runProgram(Id);
  if (Name == "inmem.compare")
    return compareTraces(Id, Argument);
  if (Name == "inmem.open")
    return openPage(Id, Argument);
  if (Name == "inmem.snapshot")
    return snapshot(Id, Argument);
  if (Name == "inmem.fix")
    return fix(Id, Argument);
  send(
      rpcFailure(Id, kInvalidParameters, "there is no command '" + Name + "'"));
}

void Server::runProgram(const Json &Id) {
  if (!Settings.Program.empty())
    return startProgram(Id, Settings.Program);
  if (!Index)
    return failed(Id, "there is no trace whose program could be run; the "
                      "setting 'program' names one");
  std::vector<std::string> Words;
  for (const Json &Word : Index->head()["command"])
    Words.push_back(Word.get<std::string>());
  const std::string Executable = Index->head()["executable"];
  if (Words.empty())
    Words.push_back(Executable);
  if (!Executable.empty())
    Words[0] = Executable;
  if (Words[0].empty())
    return failed(Id, "the trace does not have the program's command; the "
                      "setting 'program' names one");
  std::string Shown;
  for (const std::string &Word : Words)
    Shown += (Shown.empty() ? "" : " ") + shellQuoted(Word);
  // Ask first: the command is from a file, which may come from anywhere.
  ask("window/showMessageRequest",
      {{"type", 3},
       {"message", "inmem: run " + Shown + " in " + Root.string() + "?"},
       {"actions", {{{"title", "Run"}}, {{"title", "Cancel"}}}}},
      [this, Id, Words](const Json &Response) {
        const auto Chosen = Response.find("result");
        if (Chosen != Response.end() && Chosen->is_object() &&
            textMember(*Chosen, "title") == "Run")
          startProgram(Id, Words);
        else
          done(Id);
      });
}

void Server::startProgram(const Json &Id,
                          const std::vector<std::string> &Words) {
  std::vector<std::string> Command = {
      ownProgram(),
      "run",
      "-q",
      "--trace",
      (Wanted.Path.empty() ? Root : fs::path(Wanted.Path).parent_path()) /
          "inmem.%p.inmem",
      "--"};
  Command.insert(Command.end(), Words.begin(), Words.end());
  log("runs " + Words[0]);
  Children.start(Command, Root.string(), [this, Id](const JobResult &Result) {
    if (!Result.Output.empty())
      log("the program's output:\n" + Result.Output);
    if (Result.Code != 0)
      show(fmt::format("the program ended with code {}: {}", Result.Code,
                       endOf(Result.Output)),
           2);
    findTraces();
    done(Id, {{"code", Result.Code}});
  });
}

void Server::compareTraces(const Json &Id, const Json &Argument) {
  const std::string With = textMember(Argument, "trace");
  if (!Index)
    return failed(Id, "there is no trace to compare");
  Compared = With.empty() ? "" : pathOfUri(With);
  if (!With.empty() && Compared.empty())
    Compared = (Root / With).string();
  Comparing = !With.empty() || !Comparing;
  load();
  done(Id, {{"comparing", Comparing}});
}

void Server::openPage(const Json &Id, const Json &Argument) {
  if (!Index)
    return failed(Id, "there is no trace to show");
  std::string File;
  uint32_t Line = 0;
  if (const auto Open = Documents.find(textMember(Argument, "uri"));
      Open != Documents.end())
    if (const FileRecord *F = fileOf(Open->second)) {
      File = F->Path;
      const Json Number = Argument.value("line", Json(nullptr));
      if (Number.is_number_unsigned())
        for (const ShownLine &S : allLines(Open->second))
          if (S.Line == Number.get<uint64_t>())
            Line = S.Of->Line; // the page shows the recorded text
    }
  const std::string Folder = fs::path(Wanted.Path).parent_path().string();
  done(Id);
  if (Serving && PageFolder == Folder && !PageUrl.empty())
    return showPage(File, Line);
  Children.stop(Serving);
  PageUrl.clear();
  PageFolder = Folder;
  Serving = Children.start(
      {ownProgram(), "serve", "--source", Root.string(), Folder}, "",
      [this](const JobResult &Result) {
        Serving = 0;
        if (PageUrl.empty())
          show("cannot serve the page: " + endOf(Result.Output), 1);
      },
      [this, File, Line](const std::string &Output) {
        const size_t End = Output.find('\n');
        if (!PageUrl.empty() || End == std::string::npos ||
            !Output.starts_with("http://"))
          return;
        PageUrl = Output.substr(0, End);
        showPage(File, Line);
      });
}

void Server::showPage(const std::string &File, uint32_t Line) {
  // http://127.0.0.1:PORT/?token=TOKEN
  const size_t Query = PageUrl.find("/?token=");
  if (Query == std::string::npos)
    return;
  const std::string Token = PageUrl.substr(Query + 8);
  const std::string Name = fs::path(Wanted.Path).filename().string();
  std::string Url = PageUrl.substr(0, Query);
  const Json Before = Index ? Index->head()["before"] : Json(nullptr);
  if (Comparing && Before.is_string() &&
      fs::path(Before.get<std::string>()).parent_path() == PageFolder)
    Url +=
        urlOf("/diff", {{"old", fs::path(Before.get<std::string>()).filename()},
                        {"new", Name},
                        {"token", Token}});
  else
    Url += urlOf("/trace", {{"file", Name}, {"token", Token}});
  if (!File.empty())
    Url += urlOf("#source", {{"file", File}, {"line", std::to_string(Line)}});
  if (can("window/showDocument/support"))
    ask("window/showDocument", {{"uri", Url}, {"external", true}});
  else
    show(Url);
}

void Server::snapshot(const Json &Id, const Json &Argument) {
  Json Pid = Argument.value("pid", Json(nullptr));
  if (Pid.is_null() && Index && Index->head()["running"] == true)
    Pid = Index->head()["pid"];
  if (!Pid.is_number_unsigned())
    return failed(Id, "the program of this trace does not run; give the "
                      "number of a process that does");
  Children.start(
      {ownProgram(), "ctl", std::to_string(Pid.get<uint64_t>()), "snapshot"},
      "", [this, Id](const JobResult &Result) {
        const std::string Text = endOf(Result.Output);
        if (Result.Code != 0)
          return failed(Id, Text);
        show(Text.empty() ? "the snapshot is written" : Text);
        done(Id, {{"output", Text}});
      });
}

std::string Server::databasePath() const {
  std::error_code Error;
  if (!Settings.Build.empty())
    return (Root / Settings.Build).string();
  for (const char *Folder : {"", "build", "out", "Build"})
    if (fs::exists(Root / Folder / "compile_commands.json", Error))
      return (Root / Folder).string();
  const fs::path Beside = fs::path(Wanted.Path).parent_path();
  if (fs::exists(Beside / "compile_commands.json", Error))
    return Beside.string();
  return {};
}

void Server::fix(const Json &Id, const Json &Argument) {
  const Json Number = Argument.value("finding", Json(nullptr));
  if (!Index || !Number.is_number_unsigned() ||
      Number.get<size_t>() >= Index->head()["findings"].size())
    return failed(Id, "there is no such finding");
  const std::string Database = databasePath();
  if (Database.empty())
    return failed(Id, "there is no compile_commands.json in " + Root.string() +
                          " or its build folder; the setting 'build' names "
                          "one");
  const Json &Finding = Index->head()["findings"][Number.get<size_t>()];
  const std::string Rule = Finding["rule"];
  Children.start(
      [this, Database, Rule]() -> int {
        if (chdir(Root.c_str()) != 0)
          return 3;
        auto Request = fixRequest({Wanted.Path}, repositoryOf(Root));
        if (!Request) {
          std::puts(Request.status().str().c_str());
          return 3;
        }
        (*Request)["mode"] = "json";
        (*Request)["output"] = "";
        (*Request)["database"] = Database;
        (*Request)["rules"] = {Rule};
        (*Request)["build"] = (*Request)["test"] = "";
        (*Request)["command"] = Json::array();
        (*Request)["runs"] = 3;
        (*Request)["timeout"] = 600;
        auto Program = findFix();
        if (!Program) {
          std::puts(Program.status().str().c_str());
          return 3;
        }
        std::string Path = passRequest(*Request);
        char *Words[] = {Program->data(), Path.data(), nullptr};
        if (!Path.empty())
          execv(Program->c_str(), Words);
        std::printf("cannot run %s: %s\n", Program->c_str(),
                    std::strerror(errno));
        return 3;
      },
      [this, Id, Of = Generation,
       I = Number.get<size_t>()](const JobResult &Result) {
        if (Of != Generation)
          return failed(Id, "there is a newer trace; try again");
        applyFix(Id, I, Result);
      });
}

void Server::applyFix(const Json &Id, size_t Number, const JobResult &Result) {
  // Errors come before the array, if there are any.
  const size_t Begin =
      Result.Output.starts_with('[') ? 0 : Result.Output.find("\n[") + 1;
  const Json All =
      Result.Code == 0 && (Begin > 0 || Result.Output[0] == '[')
          ? Json::parse(Result.Output.substr(Begin), nullptr, false)
          : Json();
  if (!All.is_array())
    return failed(Id, "inmem fix: " + endOf(Result.Output));
  for (const Json &Row : All) {
    if (Row["number"] != Number + 1)
      continue;
    if (!Row.contains("diff"))
      return failed(Id, "no edit: " + textMember(Row, "why_not"));
    const Json Changes = editsOfDiff(Row["diff"], repositoryOf(Root));
    for (const auto &[Uri, Edits] : Changes.items()) {
      const auto Open = Documents.find(Uri);
      if (Open == Documents.end())
        continue;
      if (textOfFile(Open->second.Path) != Open->second.Text.text())
        return failed(Id, "no edit: save " + Open->second.Path + " first");
    }
    ask("workspace/applyEdit",
        {{"label", "inmem fix: " + textMember(Row, "summary")},
         {"edit", {{"changes", Changes}}}},
        [this, Id](const Json &Response) {
          const Json Of = Response.value("result", Json::object());
          done(Id, {{"applied", Of.is_object() && Of.value("applied", false)}});
        });
    return;
  }
  failed(Id, "inmem fix does not know this finding");
}

} // namespace inmem::tools
