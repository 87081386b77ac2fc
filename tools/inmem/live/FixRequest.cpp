//===- FixRequest.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "live/FixRequest.h"

#include "cli/Terminal.h"
#include "files/ElfFacts.h"
#include "files/Inputs.h"
#include "files/Symbolizer.h"
#include "live/Preload.h"
#include "report/findings/Findings.h"
#include "report/formats/JsonParts.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sys/mman.h>
#include <unistd.h>

namespace inmem::tools {

namespace fs = std::filesystem;
using report::Json;

std::string repositoryOf(const fs::path &Folder) {
  std::error_code Error;
  for (fs::path At = Folder; !At.empty(); At = At.parent_path()) {
    if (fs::exists(At / ".git", Error))
      return At.string();
    if (At == At.root_path())
      break;
  }
  return Folder.string();
}

trace::Result<Json> fixRequest(const std::vector<std::string> &Files,
                               std::string Root) {
  const auto Traces = readInputs(Files);
  if (!Traces)
    return Traces.status();
  Symbolizer Symbols;
  report::ProfileOptions Build;
  Build.Resolver = &Symbols;
  const Progress Working(kAddingUp);
  const auto P = report::buildProfile(*Traces, Build);
  if (!P)
    return P.status();
  std::error_code Error;
  const fs::path Folder = fs::current_path(Error);
  if (Root.empty())
    Root = repositoryOf(Folder);
  uint64_t Start = P->Processes.empty() ? 0 : P->Processes[0].StartUnixNs;
  for (const report::ProcessResult &R : P->Processes)
    Start = std::min(Start, R.StartUnixNs);
  constexpr uint64_t kSecond = 1000000000;
  Json Out;
  Out["schema"] = "inmem-fix/1";
  Out["findings"] = report::findingsJson(*P, report::View());
  // The bytes that a pool must hold, by the finding's own type: two types may
  // have the same name.
  const auto All = report::findingsOf(*P, ~size_t{0});
  for (size_t I = 0; I < All.size(); ++I)
    if (const auto Type = All[I].Type;
        Type && P->Types[*Type].Name && P->Types[*Type].PeakLiveBytes)
      Out["findings"][I]["type_peak_live_bytes"] =
          *P->Types[*Type].PeakLiveBytes;
  Out["total_allocations"] = P->Totals.Allocations;
  Out["total_bytes"] = P->Totals.AllocatedBytes;
  Out["start_unix_s"] = Start / kSecond;
  Json Sources = Json::array();
  for (const trace::Trace &T : *Traces)
    for (const trace::Source &S : T.Sources)
      Sources.push_back(
          {{"file", std::string(S.File)}, {"hash", std::to_string(S.Hash)}});
  Out["sources"] = std::move(Sources);
  Out["root"] = fs::absolute(Root, Error).string();
  Out["folder"] = Folder.string();
  Out["tool"] = fs::read_symlink("/proc/self/exe", Error).string();
  return Out;
}

/// inmem-fix programs from packages, one for each version of LLVM, newest
/// first, in lib/inmem or in Debian's library folders.
static std::vector<std::string> packagedFixes() {
  std::vector<std::pair<unsigned long, std::string>> Found;
  std::error_code Error;
  const fs::path Folder = fs::path(findRuntime()).parent_path() / "inmem";
  for (const auto &Entry : fs::directory_iterator(Folder, Error)) {
    const std::string Name = Entry.path().filename().string();
    const std::string Program = (Entry.path() / "inmem-fix").string();
    if (Name.starts_with("llvm-") && access(Program.c_str(), X_OK) == 0)
      Found.emplace_back(std::strtoul(Name.c_str() + 5, nullptr, 10), Program);
  }
  std::sort(Found.rbegin(), Found.rend());
  std::vector<std::string> Out;
  Out.reserve(Found.size());
  for (auto &[Version, Program] : Found)
    Out.push_back(std::move(Program));
  return Out;
}

trace::Result<std::string> findFix() {
  if (const char *Named = std::getenv("INMEM_FIX"); Named && *Named)
    return std::string(Named);
  const std::string Own = (installPrefix() / "bin" / "inmem-fix").string();
  if (access(Own.c_str(), X_OK) == 0)
    return Own;
  std::string Missing;
  for (const std::string &Program : packagedFixes()) {
    const std::vector<Loaded> Libraries =
        librariesOf(Program).value_or(std::vector<Loaded>());
    const auto Lost =
        std::find_if(Libraries.begin(), Libraries.end(),
                     [](const Loaded &L) { return L.Path.empty(); });
    if (Lost == Libraries.end())
      return Program;
    if (Missing.empty())
      Missing = Program + " needs " + Lost->Name + ", a library of clang";
  }
  if (!Missing.empty())
    return trace::Status::error("", Missing + "; install that clang");
  return trace::Status::error(
      "", "inmem-fix is not installed: install a package inmem-llvm-N, or "
          "build or install inmem as a whole");
}

std::string passRequest(const Json &Request) {
  const int Fd = memfd_create("inmem-fix request", 0);
  if (Fd < 0)
    return {};
  const std::string Text =
      Request.dump(-1, ' ', false, Json::error_handler_t::replace);
  for (size_t Done = 0; Done < Text.size();) {
    const ssize_t N = write(Fd, Text.data() + Done, Text.size() - Done);
    if (N <= 0) {
      close(Fd);
      return {};
    }
    Done += static_cast<size_t>(N);
  }
  return "/proc/self/fd/" + std::to_string(Fd);
}

} // namespace inmem::tools
