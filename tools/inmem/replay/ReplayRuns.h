//===- ReplayRuns.h - Runs a script with an allocator -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_REPLAY_RUNS_H
#define INMEM_TOOLS_REPLAY_RUNS_H

#include "replay/Orders.h"

#include <optional>

namespace inmem::tools {

/// An allocator and its settings, as --malloc names them.
struct AllocatorChoice {
  std::string Text;                  ///< "glibc:MALLOC_ARENA_MAX=2"
  std::string Name;                  ///< "glibc"
  std::vector<std::string> Library;  ///< names to preload; the first that is
                                     ///< there; empty: none
  std::string Symbol;                ///< symbol it exports; empty: not checked
  std::vector<std::string> Settings; ///< environment variables: "NAME=VALUE"
};

/// Parses `NAME[:VARIABLE=VALUE[,VARIABLE=VALUE]…]`. Fails for an unknown name,
/// and for a setting without `=`.
trace::Result<AllocatorChoice> parseAllocator(const std::string &Text);
/// The names that parseAllocator() accepts.
const std::vector<std::string> &allocatorNames();

/// Sizes in bytes above the resident size before the first step.
struct ReplayedSize {
  uint64_t Peak = 0, End = 0, Trimmed = 0;
};

/// Replays scripts in separate processes.
class Replayer {
public:
  /// Fails if the replayer is not installed with this program.
  static trace::Result<Replayer> find();
  /// Fails if the allocator is not installed, or the replay failed.
  trace::Result<ReplayedSize> run(const Script &S, const Order &O,
                                  const AllocatorChoice &With) const;

private:
  std::string Program;
};

} // namespace inmem::tools

#endif
