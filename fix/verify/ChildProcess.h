//===- ChildProcess.h - Commands with an end --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_FIX_CHILDPROCESS_H
#define INMEM_FIX_CHILDPROCESS_H

#include <string>
#include <vector>

namespace inmem::fix {

struct Ended {
  int Code = 0; ///< like a shell's exit status: 128 + N for signal N
  bool TimedOut = false;
  double CpuSeconds = 0; ///< includes the children it waited for

  bool ok() const { return Code == 0 && !TimedOut; }
};

struct Job {
  std::vector<std::string> Words; ///< searched for in PATH
  std::string Folder;
  std::string Output; ///< file for standard output; empty: discarded
  std::string Errors; ///< file for standard error; empty: discarded
  std::vector<std::pair<std::string, std::string>> Environment;
  unsigned TimeoutSeconds = 600;
};

/// Runs a job in its own process group, with no input. Kills the rest of the
/// group on timeout, or if this program is interrupted.
Ended run(const Job &J);
/// As run(), but for a shell command.
Job shell(const std::string &Command, const std::string &Folder,
          unsigned TimeoutSeconds);

/// A file's text, such as a job's output; empty if it cannot be read.
std::string textOf(const std::string &File);

/// From now on SIGINT, SIGTERM and SIGHUP kill the running job, and run()
/// refuses further jobs.
void catchInterrupts();
/// The signal received; 0 if none.
int interruptedBy();

} // namespace inmem::fix

#endif // INMEM_FIX_CHILDPROCESS_H
