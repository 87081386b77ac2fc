//===- Progress.h - A line on the terminal while work takes long ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_PROGRESS_H
#define INMEM_TOOLS_PROGRESS_H

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace inmem::tools {

/// Shows what is being done, and for how long, on standard error, if that is a
/// terminal and the work takes more than half a second. The line is gone when
/// this is.
class Progress {
public:
  /// \param What such as `reading 3 traces`
  explicit Progress(std::string What);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

private:
  void show();

  std::string What;
  std::mutex Lock;
  std::condition_variable Ended;
  bool IsDone = false;
  std::thread Shower; ///< not joinable without a terminal
};

} // namespace inmem::tools

#endif
