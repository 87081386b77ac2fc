//===- FleetExport.cpp - inmem export --format parquet --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Steps.h"

#include "fleet/folder/Exporter.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace inmem::tools {

namespace fs = std::filesystem;

/// File name endings of traces, and of heap profiles from other tools.
constexpr std::string_view kEnds[] = {".inmem", ".inmem.gz", ".inmem.zst",
                                      ".pb", ".pb.gz"};

/// Expands a folder to the traces in it and in its subfolders, sorted by name.
static std::vector<std::string>
filesOf(const std::vector<std::string> &Inputs) {
  std::vector<std::string> Out;
  for (const std::string &Input : Inputs) {
    std::error_code Error;
    if (!fs::is_directory(Input, Error)) {
      Out.push_back(Input);
      continue;
    }
    std::vector<std::string> Found;
    for (const auto &File : fs::recursive_directory_iterator(Input, Error)) {
      const std::string Name = File.path().filename().string();
      if (std::ranges::any_of(
              kEnds, [&](std::string_view End) { return Name.ends_with(End); }))
        Found.push_back(File.path().string());
    }
    std::ranges::sort(Found);
    Out.insert(Out.end(), Found.begin(), Found.end());
  }
  return Out;
}

Outcome exportParquet(const std::vector<std::string> &Files,
                      const std::string &Folder, size_t BatchTraces,
                      const std::string &ConfigFile) {
  if (BatchTraces == 0)
    return Outcome::usage("--batch: expected a number above 0, found '0'");
  std::error_code Error;
  if (fs::exists(Folder, Error) && !fs::is_directory(Folder, Error))
    return Outcome::usage("-o: expected a folder, found the file " + Folder);
  fleet::ExportOptions Options;
  Options.BatchTraces = BatchTraces;
  auto Config = readConfigFile(ConfigFile);
  if (!Config)
    return Outcome::unreadable(Config.status());
  Options.Config = std::move(*Config);
  auto To = fleet::Exporter::open(Folder, Options);
  if (!To)
    return Outcome::usage(To.status().str());
  size_t Unreadable = 0;
  for (const std::string &File : filesOf(Files)) {
    const trace::Status Done = To->add(File);
    if (To->folderFailed())
      return Outcome::unwritable(Done);
    if (!Done.ok()) {
      std::fprintf(stderr, "inmem: %s\n", Done.str().c_str());
      ++Unreadable;
    }
  }
  if (const trace::Status Done = To->finish(); !Done.ok())
    return Outcome::unwritable(Done);
  const fleet::ExportCounts &Sum = To->counts();
  std::fprintf(stderr, "inmem: %s: %llu %s added", Folder.c_str(),
               static_cast<unsigned long long>(Sum.Traces),
               Sum.Traces == 1 ? "trace" : "traces");
  if (Sum.Known != 0)
    std::fprintf(stderr, ", %llu already there",
                 static_cast<unsigned long long>(Sum.Known));
  std::fprintf(stderr, "; %llu rows, %llu bytes in %llu files\n",
               static_cast<unsigned long long>(Sum.Rows),
               static_cast<unsigned long long>(Sum.Bytes),
               static_cast<unsigned long long>(Sum.Files));
  if (Unreadable != 0)
    return {kUnreadable, std::to_string(Unreadable) +
                             (Unreadable == 1 ? " trace was" : " traces were") +
                             " passed over"};
  return {};
}

} // namespace inmem::tools
