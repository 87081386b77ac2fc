//===- TraceWatch.h - The newest traces of a workspace ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_LSP_TRACEWATCH_H
#define INMEM_TOOLS_LSP_TRACEWATCH_H

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace inmem::tools {

/// Finds traces below a folder, and notices new ones by inotify, regardless of
/// the client's watches. Skips hidden folders, links, folders below the eighth
/// level, and everything after the first 4096 folders. Not thread-safe.
class TraceWatch {
public:
  /// \param Root the workspace \param Glob for paths, relative to the workspace
  /// or absolute; empty for all `*.inmem`, including compressed ones
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
  /// The current traces, newest first. New folders are watched from then on.
  std::vector<Found> scan();

  /// The descriptor to poll; -1 if nothing is watched, so that scan() must be
  /// called from time to time.
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
  size_t Folders = 0; ///< scanned so far
};

} // namespace inmem::tools

#endif
