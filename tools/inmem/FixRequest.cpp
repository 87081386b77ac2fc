//===- FixRequest.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FixRequest.h"

#include "Inputs.h"
#include "Preload.h"
#include "Symbolizer.h"
#include "report/formats/JsonParts.h"

#include <cstdlib>
#include <filesystem>
#include <sys/mman.h>
#include <unistd.h>

namespace inmem::tools {

namespace fs = std::filesystem;
using report::Json;

/// The nearest folder above with a .git, else the folder itself.
static std::string repositoryOf(const fs::path &Folder) {
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
  Out["findings"] = report::findingsJson(*P, report::View());
  // What a pool has to hold.
  for (Json &F : Out["findings"])
    for (const report::TypeResult &T : P->Types)
      if (T.Name && F["type"] == *T.Name && T.PeakLiveBytes)
        F["type_peak_live_bytes"] = *T.PeakLiveBytes;
  Out["total_allocations"] = P->Totals.Allocations;
  Out["total_bytes"] = P->Totals.AllocatedBytes;
  Out["start_unix_s"] = Start / kSecond;
  Out["root"] = fs::absolute(Root, Error).string();
  Out["folder"] = Folder.string();
  Out["tool"] = fs::read_symlink("/proc/self/exe", Error).string();
  return Out;
}

std::string findFix() {
  if (const char *Named = std::getenv("INMEM_FIX"); Named && *Named)
    return Named;
  return (installPrefix() / "bin" / "inmem-fix").string();
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
