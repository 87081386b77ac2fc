//===- Jobs.h - Work in child processes -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The server stays responsive while traces are read, patches are made and
// programs run, because children do all of that. They return their memory when
// they end. A file that shrinks while it is read ends only the child.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TOOLS_LSP_JOBS_H
#define INMEM_TOOLS_LSP_JOBS_H

#include <functional>
#include <list>
#include <poll.h>
#include <string>
#include <sys/types.h>
#include <vector>

namespace inmem::tools {

/// The output of a finished child.
struct JobResult {
  int Code = 0;       ///< as in a shell: 128 + N for signal N
  std::string Output; ///< first MiB of standard output and error
};

/// Children of this process, which must be single-threaded. Not thread-safe.
class Jobs {
public:
  Jobs() = default;
  Jobs(const Jobs &) = delete;
  Jobs &operator=(const Jobs &) = delete;
  ~Jobs();

  using Done = std::function<void(const JobResult &)>;
  /// Called with the output so far whenever there is more.
  using More = std::function<void(const std::string &)>;
  using Work = std::function<int()>;

  /// Runs \p Child in a fork, with its output to a pipe and no input; its
  /// result is the exit code. \p Then is called by handle(), or immediately if
  /// the child cannot be started. \returns a number for stop(); 0 if it cannot
  /// be started
  unsigned start(const Work &Child, Done Then, More Also = nullptr);
  /// As above, for a program. \p Folder is its working directory; empty for the
  /// current one
  unsigned start(const std::vector<std::string> &Command,
                 const std::string &Folder, Done Then, More Also = nullptr);
  /// Ends a job whose result is no longer wanted. Ignores the number of a
  /// finished job.
  void stop(unsigned Number);

  /// Adds the descriptors that poll() must wait for.
  void addTo(std::vector<pollfd> &Into) const;
  /// Reads from children that have written.
  void handle(const std::vector<pollfd> &Ready);
  bool any() const { return !All.empty(); }

private:
  struct Job {
    unsigned Number = 0;
    pid_t Pid = 0;
    int From = -1;
    JobResult Result;
    Done Then;
    More Also;
  };
  /// \returns false at the end of the output.
  static bool read(Job &J);
  static int end(const Job &J);

  std::list<Job> All;
  unsigned Last = 0;
};

} // namespace inmem::tools

#endif
