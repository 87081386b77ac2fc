//===- HeapFiles.h - Heap snapshots next to a process's trace ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_HEAPFILES_H
#define INMEM_TOOLS_HEAPFILES_H

#include "live/LiveProcess.h"

#include <filesystem>
#include <map>
#include <string>

namespace inmem::tools {

/// The heap snapshots of a process as they are at a moment. A process writes
/// one as `NAME.heap.N.part` and renames it once it is whole.
class HeapFiles {
public:
  static HeapFiles of(const LiveProcess &P, pid_t Pid);

  /// The name that the next one may have, for people to read.
  std::string pattern() const;
  /// Waits until there is a new whole one, as long as the process writes it.
  /// \returns its path, for people to read
  trace::Result<std::string> waitForNew(const LiveProcess &P) const;

private:
  using Inodes = std::map<std::string, uint64_t>; ///< by name
  /// \param Parts whether files that are being written count
  Inodes list(bool Parts) const;

  std::filesystem::path Folder; ///< as this process opens it
  std::filesystem::path Shown;  ///< as the other process names it
  std::string Stem;             ///< of the trace: "app" of app.inmem
  pid_t Pid = 0;
  Inodes Old;
};

} // namespace inmem::tools

#endif
