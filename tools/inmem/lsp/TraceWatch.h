//===- TraceWatch.h - The newest traces of a workspace ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_LSP_TRACEWATCH_H
#define INMEM_TOOLS_LSP_TRACEWATCH_H

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace inmem::tools {

/// Finds traces below a folder, and notices new ones by inotify, whatever the
/// client watches. Hidden folders, links and folders below the eighth level are
/// left out, and so is all behind the first 4096 folders. Not thread-safe.
class TraceWatch {
public:
  /// \param Root the workspace
  /// \param Glob of paths, as seen from the workspace or absolute; empty: all
  /// `*.inmem`, also compressed
  TraceWatch(std::filesystem::path Root, std::string Glob);
  ~TraceWatch();
  TraceWatch(const TraceWatch &) = delete;
  TraceWatch &operator=(const TraceWatch &) = delete;

  struct Found {
    std::string Path;
    int64_t ModifiedNs = 0;
    uint64_t Bytes = 0;
    bool operator==(const Found &) const = default;
  };
  /// Traces that are there now, the newest first; folders that are new are
  /// watched from then on.
  std::vector<Found> scan();

  /// To be polled; -1: nothing is watched, and scan() has to be called from
  /// time to time.
  int descriptor() const { return Fd; }
  /// Reads all events of the descriptor. \returns true if a scan may find
  /// something
  bool drain();

private:
  void walk(const std::filesystem::path &Folder, unsigned Depth,
            std::vector<Found> &Into);
  bool wanted(const std::string &Path) const;

  std::filesystem::path Root, From;
  std::string Glob;
  int Fd;
  size_t Folders = 0; ///< of this scan
};

} // namespace inmem::tools

#endif
