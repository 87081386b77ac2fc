//===- LiveProcess.h - A running process and its trace --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the trace that a process of this user maps, and puts commands into it
// (trace::CommandQueue). Access is controlled by the file's permissions, which
// are the user's alone. The process is not stopped, traced or signalled.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TOOLS_LIVEPROCESS_H
#define INMEM_TOOLS_LIVEPROCESS_H

#include "trace/format/Format.h"
#include "trace/read/Status.h"

#include <chrono>
#include <csignal>
#include <string>
#include <sys/types.h>
#include <utility>

namespace inmem::tools {

class LiveProcess {
public:
  /// Opens the trace of process Pid. The error says whether the process does
  /// not exist, cannot be read, or does not record.
  static trace::Result<LiveProcess> attach(pid_t Pid, bool ForCommands);

  LiveProcess(LiveProcess &&Other) noexcept
      : Fd(std::exchange(Other.Fd, -1)), Pid(Other.Pid),
        Path(std::move(Other.Path)),
        Header(std::exchange(Other.Header, nullptr)) {}
  LiveProcess &operator=(LiveProcess &&) = delete;
  ~LiveProcess();

  /// A path by which this process can open the trace while the other one runs.
  const std::string &path() const { return Path; }
  /// The path in the other process, for messages.
  std::string shownPath() const;
  /// The current header, which the other process writes.
  const trace::FileHeader &header() const { return *Header; }
  bool hasEnded() const;

  /// Gives a command. Name is a snapshot's name, cut to the space in the
  /// command.
  trace::Status give(trace::CommandKind Kind, const std::string &Name = {});
  /// Waits until all commands are executed, or the process has slept or run for
  /// \p AtMost. Time without a processor does not count. \returns true if all
  /// are executed.
  bool waitObeyed(std::chrono::milliseconds AtMost) const;
  /// Writes the process's recording to disk.
  trace::Status flush() const;

private:
  LiveProcess(int File, pid_t Of, std::string Name)
      : Fd(File), Pid(Of), Path(std::move(Name)) {}
  /// Makes each thread check for commands at its next event.
  trace::Status alertThreads() const;
  trace::Status failed(const std::string &What) const;

  int Fd;
  pid_t Pid;
  std::string Path;
  trace::FileHeader *Header = nullptr;
};

} // namespace inmem::tools

#endif
