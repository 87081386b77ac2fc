//===- StackFrames.h - Calls of a stopped thread, by unwinding --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_STACKFRAMES_H
#define INMEM_TOOLS_STACKFRAMES_H

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <sys/types.h>

namespace inmem::tools {

/// Unwinds threads of a process by the tables of its files. Not thread-safe.
class StackFrames {
public:
  /// \param Read reads the process's memory: (from, to, bytes) -> bytes read
  using Reader = std::function<size_t(uint64_t, void *, size_t)>;
  /// Notes which files the process has now.
  StackFrames(pid_t Pid, Reader Read);
  ~StackFrames();

  /// Return addresses of a stopped thread, innermost first. None if a frame has
  /// no table, or the outermost was not reached: there may be others then.
  /// \param Registers in the order of DWARF, the program counter last
  std::optional<std::vector<uint64_t>>
  returnAddresses(pid_t Tid, const std::vector<uint64_t> &Registers);

private:
  struct State;
  std::unique_ptr<State> S;
};

} // namespace inmem::tools

#endif
