//===- TraceFolder.h - The traces of a folder -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists traces by name. A name is looked up among the existing files of the
// folder, and never becomes part of a path before it is found there.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TOOLS_TRACEFOLDER_H
#define INMEM_TOOLS_TRACEFOLDER_H

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace inmem::tools {

struct TraceEntry {
  std::string Name; ///< file name without folders
  std::filesystem::path Path;
  uint64_t Bytes = 0;
  int64_t Modified = 0; ///< seconds
  std::string State;    ///< see stateOf()
  // Read from the trace itself; Error is set if it cannot be read.
  std::string Command, Host, Labels, Error;
  std::string Build; ///< build ID of the program, hexadecimal; empty: unknown
  uint64_t Pid = 0, StartUnixNs = 0, DurationNs = 0;
  bool Running = false;
};

/// Distinguishes a file from earlier ones with its name, by inode number, size
/// and time. Empty for a link, a folder or a missing file.
std::string stateOf(const std::filesystem::path &File);

class TraceFolder {
public:
  explicit TraceFolder(std::filesystem::path Folder);

  /// The existing files, newest first. Changed files are read again.
  std::vector<TraceEntry> list();
  std::optional<TraceEntry> find(const std::string &Name);
  /// As list(), but reads only the headers of uncompressed traces, of which the
  /// members that describe() sets are empty, except StartUnixNs.
  std::vector<TraceEntry> listStarts() const;
  /// Reads all of a trace, and sets the members that come from it.
  static void describe(TraceEntry &Into);

private:
  std::vector<TraceEntry> files() const;

  std::filesystem::path Folder; ///< canonical
  std::map<std::string, TraceEntry> Known;
};

} // namespace inmem::tools

#endif
