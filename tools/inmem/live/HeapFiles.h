//===- HeapFiles.h - Heap snapshots next to a process's trace ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_HEAPFILES_H
#define INMEM_TOOLS_HEAPFILES_H

#include "live/LiveProcess.h"

#include <filesystem>
#include <map>
#include <string>

namespace inmem::tools {

/// The heap snapshots of a process at one moment. A process writes each as
/// `NAME.heap.N.part` and renames it once it is complete.
class HeapFiles {
public:
  static HeapFiles of(const LiveProcess &P, pid_t Pid);

  /// The name that the next snapshot may have, for messages.
  std::string pattern() const;
  /// Waits for a new complete snapshot while the process is writing it.
  /// \returns its path, for messages
  trace::Result<std::string> waitForNew(const LiveProcess &P) const;

private:
  using Inodes = std::map<std::string, uint64_t>; ///< by name
  /// \param Parts whether to include files that are still being written
  Inodes list(bool Parts) const;

  std::filesystem::path Folder; ///< as this process opens it
  std::filesystem::path Shown;  ///< path shown by the other process
  std::string Stem;             ///< the trace's: "app" for app.inmem
  pid_t Pid = 0;
  Inodes Old;
};

} // namespace inmem::tools

#endif
