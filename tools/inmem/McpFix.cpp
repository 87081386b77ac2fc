//===- McpFix.cpp - propose_fix and verify_fix of inmem mcp ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Steps.h"

#include "cli/Output.h"
#include "live/FixRequest.h"

#include <cstdio>
#include <sys/wait.h>

namespace inmem::tools {

using report::Json;

/// Runs inmem-fix. Its errors follow its output.
static FixAnswer runFix(const Json &Request) {
  const auto Program = findFix();
  if (!Program)
    return {Program.status().str(), true};
  const std::string Path = passRequest(Request);
  if (Path.empty())
    return {"cannot pass the request on", true};
  const std::string Command = shellQuoted(*Program) + " " + Path + " 2>&1";
  // The command is a quoted word and a path of digits.
  // NOLINTNEXTLINE(bugprone-command-processor)
  std::FILE *From = popen(Command.c_str(), "r");
  if (!From)
    return {"cannot run " + *Program, true};
  FixAnswer Out;
  char Buffer[4096];
  while (const size_t N = std::fread(Buffer, 1, sizeof Buffer, From))
    Out.Text.append(Buffer, N);
  const int Status = pclose(From);
  Out.Wrong = !WIFEXITED(Status) || WEXITSTATUS(Status) != 0;
  return Out;
}

std::optional<FixAnswer> callFixTool(const std::string &Name,
                                     const Json &Arguments) {
  const bool Verifies = Name == "verify_fix";
  if (!Verifies && Name != "propose_fix")
    return std::nullopt;
  const auto Text = [&](const char *Key) {
    return Arguments.value(Key, std::string());
  };
  auto Request = fixRequest({Text("file")}, Text("root"));
  if (!Request)
    return FixAnswer{"file: " + Request.status().str(), true};
  Json &R = *Request;
  R["mode"] = Verifies ? "verify" : "json";
  R["database"] = Text("database");
  R["rules"] = Json::array();
  if (!Text("rule").empty())
    R["rules"].push_back(Text("rule"));
  R["build"] = Text("build");
  R["test"] = Text("test");
  R["command"] = {"/bin/sh", "-c", Text("command")};
  R["output"] = Text("output");
  R["runs"] = 3;
  R["timeout"] = 600;
  return runFix(R);
}

} // namespace inmem::tools
