//===- Patience.h - Time that a process is waited for -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_PATIENCE_H
#define INMEM_TOOLS_PATIENCE_H

#include <chrono>
#include <functional>
#include <sys/types.h>

namespace inmem::tools {

/// Decides how long to wait for an action that a process takes at its next
/// allocation. Time in which it could run but had no processor does not count.
/// Not thread-safe.
class Patience {
public:
  using Time = std::chrono::nanoseconds;
  struct Look {
    bool CanRun = false; ///< a thread is running, or waiting for a CPU
    Time Ran{};          ///< CPU time of the process
  };

  /// \param Process is called in each isOver()
  Patience(std::function<Look()> Process, Time AtMost);

  /// True if the process has slept or run for AtMost in total. \param Now from
  /// a steady clock
  bool isOver(Time Now);

private:
  std::function<Look()> Process;
  Time AtMost, RanBefore, Slept{};
  Time Last{-1};
};

/// Reads /proc. A process that has ended counts as unable to run.
Patience::Look lookAt(pid_t Pid);

} // namespace inmem::tools

#endif
