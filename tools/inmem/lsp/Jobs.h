//===- Jobs.h - Work in child processes -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The server answers while traces are read, patches are made and programs run:
// all of that happens in children, which return their memory when they end. A
// file that shrinks while it is read ends only the child.
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

/// The output of a child that ended.
struct JobResult {
  int Code = 0;       ///< as a shell gives it: 128 + N for signal N
  std::string Output; ///< standard output and error, the first MiB
};

/// Children of this process, which must have one thread. Not thread-safe.
class Jobs {
public:
  Jobs() = default;
  Jobs(const Jobs &) = delete;
  Jobs &operator=(const Jobs &) = delete;
  ~Jobs();

  using Done = std::function<void(const JobResult &)>;
  /// Called with the output so far, when there is more of it.
  using More = std::function<void(const std::string &)>;
  using Work = std::function<int()>;

  /// Runs \p Child in a fork, with its output to a pipe and no input; its
  /// result is the exit code. \p Then is called by handle(), or when the child
  /// cannot be started.
  /// \returns a number for stop(); 0: it could not be started
  unsigned start(const Work &Child, Done Then, More Also = nullptr);
  /// As above, for a program. \p Folder: where it runs; empty: here
  unsigned start(const std::vector<std::string> &Command,
                 const std::string &Folder, Done Then, More Also = nullptr);
  /// Ends a job with an unwanted result. A number of a job that has ended is
  /// ignored.
  void stop(unsigned Number);

  /// Adds the descriptors that poll() has to wait for.
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
  /// False: it is at its end.
  static bool read(Job &J);
  static int end(const Job &J);

  std::list<Job> All;
  unsigned Last = 0;
};

} // namespace inmem::tools

#endif
