//===- SourceFiles.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/SourceFiles.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/stat.h>

namespace inmem::tools {

using namespace report;

namespace fs = std::filesystem;

/// The start of the first process; 0 if unknown.
static uint64_t earliestStart(const Profile &P) {
  uint64_t Start = P.Processes.empty() ? 0 : P.Processes[0].StartUnixNs;
  for (const ProcessResult &R : P.Processes)
    Start = std::min(Start, R.StartUnixNs);
  return Start;
}

SourceFiles::SourceFiles(const Profile &P, std::vector<std::string> Given)
    : StartUnixNs(earliestStart(P)) {
  const auto Add = [&](std::string Folder) {
    if (!Folder.empty() && !Folder.ends_with('/'))
      Folder += '/';
    if (std::ranges::find(Folders, Folder) == Folders.end())
      Folders.push_back(std::move(Folder));
  };
  for (std::string &Folder : Given)
    Add(std::move(Folder));
  Add("");
  for (const std::string &Folder : P.CompileFolders)
    Add(Folder);
  // A build folder is usually inside the source folder or next to it.
  constexpr size_t kUp = 4;
  for (const ProcessResult &R : P.Processes)
    for (const std::string &From : {R.Executable, R.File}) {
      std::error_code Error;
      fs::path Folder = fs::absolute(From, Error).parent_path();
      for (size_t I = 0; !From.empty() && !Error && I < kUp; ++I) {
        Add(Folder.string());
        if (!Folder.has_relative_path())
          break;
        Folder = Folder.parent_path();
      }
    }
}

SourceText SourceFiles::operator()(const std::string &File) {
  const auto [Where, New] = Known.try_emplace(File);
  SourceText &Out = Where->second;
  if (!New)
    return Out;
  Out.Missing = File.starts_with('/')
                    ? "no such file"
                    : "not found here; --source DIR is where its path begins";
  if (StartUnixNs == 0) {
    Out.Missing = "when the program ran is not known";
    return Out;
  }
  for (const std::string &Folder : Folders) {
    if (File.starts_with('/') && !Folder.empty())
      continue;
    const std::string Path = Folder + File;
    struct stat Facts;
    constexpr off_t kMost = 4 << 20;
    if (stat(Path.c_str(), &Facts) != 0 || !S_ISREG(Facts.st_mode))
      continue;
    if (Facts.st_size > kMost) {
      Out.Missing = "larger than 4 MiB";
      continue;
    }
    if (static_cast<uint64_t>(Facts.st_mtim.tv_sec) * 1000000000 +
            static_cast<uint64_t>(Facts.st_mtim.tv_nsec) >
        StartUnixNs) {
      Out.Missing = "the file has changed since the run";
      continue;
    }
    std::ifstream In(Path, std::ios::binary);
    Out.Text = std::string(std::istreambuf_iterator<char>(In), {});
    break;
  }
  return Out;
}

} // namespace inmem::tools
