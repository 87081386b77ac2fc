//===- NextSteps.cpp - Commands that lead on from a report ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Steps.h"

#include "cli/Output.h"
#include "files/TraceFolder.h"
#include "live/LiveProcess.h"
#include "report/base/Units.h"
#include "report/model/LibraryCode.h"

#include <algorithm>
#include <fmt/format.h>

namespace inmem::tools {

using namespace report;

/// The newest trace before \p File, in its folder, of the same program.
static std::optional<std::string> previousRun(const Profile &P,
                                              const std::string &File) {
  namespace fs = std::filesystem;
  const fs::path Path(File);
  const std::string Folder =
      Path.has_parent_path() ? Path.parent_path().string() : ".";
  const std::string &Program = P.Processes[0].Command.empty()
                                   ? P.Processes[0].Executable
                                   : P.Processes[0].Command[0];
  // Reading a trace to its end may take longer than the report.
  constexpr unsigned kMostRead = 8;
  unsigned Read = 0;
  for (TraceEntry &E : TraceFolder(Folder).listStarts()) { // newest first
    if (E.StartUnixNs == 0 || E.StartUnixNs >= P.Processes[0].StartUnixNs)
      continue;
    if (Read++ == kMostRead)
      break;
    if (E.Command.empty() && E.Error.empty())
      TraceFolder::describe(E);
    if (E.Error.empty() && E.Command.substr(0, E.Command.find(' ')) == Program)
      return Path.has_parent_path() ? (Path.parent_path() / E.Name).string()
                                    : E.Name;
  }
  return std::nullopt;
}

/// A remark on the share of bytes without known callers, with the recording
/// that would include them. Empty if the share is small, or if call stacks were
/// recorded.
static std::string unknownCallers(const Profile &P) {
  constexpr uint64_t kWorthIt = 20; // a twentieth
  uint64_t Unknown = 0;
  for (const SiteResult &S : P.Sites)
    if (isCallerUnknown(S) && !isLibraryMemory(P, S))
      Unknown += S.Sum.AllocatedBytes;
  if (P.Calls.Deepest > 0 || Unknown < P.Totals.AllocatedBytes / kWorthIt ||
      Unknown == 0)
    return {};
  return fmt::format("who asks libraries for {} of the bytes",
                     humanShare(Unknown, P.Totals.AllocatedBytes));
}

std::vector<std::pair<std::string, std::string>>
nextSteps(const Profile &P, const std::vector<std::string> &Files) {
  const std::string Callers = unknownCallers(P);
  if (Files.empty()) {
    std::vector<std::pair<std::string, std::string>> Out = {
        {"inmem run --html -- …", "a page: source, flame graph, time line"},
        {"inmem run --full -- …", "all types, lifetimes, objects, the peak"},
        {"inmem run --trace app.inmem -- …", "keeps the trace"}};
    if (!Callers.empty())
      Out.insert(Out.begin(), {"inmem run --options stacks=16 -- …", Callers});
    return Out;
  }
  constexpr size_t kNamed = 2; // more do not fit on a line
  std::string All;
  for (size_t I = 0; I < std::min(Files.size(), kNamed); ++I)
    All += ' ' + shellQuoted(Files[I]);
  if (Files.size() > kNamed)
    All += " …";
  std::vector<std::pair<std::string, std::string>> Out = {
      {"inmem html" + All, "a page: source, flame graph, time line"},
      {"inmem report --full" + All, "all types, lifetimes, objects, the peak"}};
  if (!Callers.empty())
    Out.insert(Out.begin(), {"INMEM_OPTIONS=stacks=16 …", Callers});
  if (P.Processes.size() == 1 && Files.size() == 1) {
    if (P.Processes[0].Running &&
        LiveProcess::attach(static_cast<pid_t>(P.Processes[0].Pid), false))
      Out.insert(Out.begin(), {fmt::format("inmem top {}", P.Processes[0].Pid),
                               "what it allocates now"});
    if (const auto Before = previousRun(P, Files[0]))
      Out.emplace_back("inmem diff " + shellQuoted(*Before) + All,
                       "what changed since the last run here");
  }
  return Out;
}

} // namespace inmem::tools
