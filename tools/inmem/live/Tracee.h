//===- Tracee.h - A thread of another process that calls for us -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ptrace(2) without a debugger. A thread is stopped for microseconds to be
// looked at: for three system calls of this program, which no other program
// delays (Urgent). At a safe point (SafePoint.h) it calls functions in its
// process:
// registers, vector registers and the signal mask are put back afterwards, and
// a system call that it was in continues. Signals of the thread wait until
// then. The other threads run on: they hold the locks that a call may wait for.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TOOLS_TRACEE_H
#define INMEM_TOOLS_TRACEE_H

#include "live/SafePoint.h"
#include "trace/read/Status.h"

#include <csignal>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <sys/types.h>
#include <vector>

namespace inmem::tools {

/// False on machines with unsupported registers.
bool canTrace();

/// The threads of a process; empty if it has ended. Threads in a system call
/// that survives a stop come first, because they stop immediately, followed by
/// running ones.
std::vector<pid_t> threadsOf(pid_t Pid);

/// This program runs before all others, if it may, else before programs that
/// have just run: threads of another process are stopped until it has finished.
class Urgent {
public:
  Urgent();
  ~Urgent();
  Urgent(const Urgent &) = delete;
  Urgent &operator=(const Urgent &) = delete;

private:
  static int Depth;
};

/// A thread as it was at a stop.
struct ThreadCopy {
  pid_t Tid = 0;
  uint64_t Pc = 0;
  int64_t Syscall = -1;            ///< as in StoppedThread
  uint64_t StackStart = 0;         ///< address of Stack
  std::vector<uint64_t> Stack;     ///< at most 256 KiB
  bool StackIsCut = false;         ///< Stack may be incomplete
  std::vector<uint64_t> Registers; ///< in DWARF's order, then the pc
  /// Valid as long as this is.
  StoppedThread view() const {
    return {Pc, Syscall, Stack, StackIsCut, StackStart};
  }
};

/// Stops each of these threads for as long as it takes to copy it, and lets it
/// run on. All are asked to stop before the first is awaited, since a thread
/// stops when it gets a processor. Threads that have ended are left out.
std::vector<ThreadCopy> copiesOf(pid_t Pid, std::span<const pid_t> Threads);

/// A stopped thread that we trace. The destructor lets it continue.
class Tracee {
public:
  enum class Failure { None, Gone, Forbidden };
  /// Stops thread \p Tid of process \p Pid. \returns null, and the reason in \p
  /// Why, if that is impossible
  static std::unique_ptr<Tracee> stop(pid_t Pid, pid_t Tid, Failure &Why);
  ~Tracee();
  Tracee(const Tracee &) = delete;
  Tracee &operator=(const Tracee &) = delete;

  /// The thread as it is now.
  ThreadCopy copy() const;
  pid_t tid() const { return Tid; }
  /// True if its stack has room for calls, according to \p Maps.
  bool hasRoom(const std::vector<MemoryMapping> &Maps) const;

  /// Calls \p Function with two arguments and waits for its end, however long
  /// that takes: a started call is never abandoned. \p Text, if not null, is
  /// copied to the thread's stack, and its address is the first argument.
  /// Prints a line to standard error if the call takes more than two seconds.
  trace::Result<uint64_t> call(uint64_t Function, uint64_t First = 0,
                               uint64_t Second = 0,
                               const std::string *Text = nullptr);

private:
  friend std::vector<ThreadCopy> copiesOf(pid_t, std::span<const pid_t>);
  struct Registers;
  Tracee(pid_t Process, pid_t Thread);
  /// Asks the thread to stop. \returns null, with the reason, if that is not
  /// possible
  static std::unique_ptr<Tracee> seize(pid_t Pid, pid_t Tid, Failure &Why);
  bool readRegisters(Registers &Into) const;
  bool writeRegisters(const Registers &From) const;
  /// Waits until it is stopped. \returns false if it has ended
  bool waitForStop();
  /// The thread has changed as waitpid says. \returns true if it is stopped, or
  /// has ended
  bool noteChange(int Status);
  trace::Status waitForReturn(Registers &At);
  void putBack();

  const Urgent Now;
  pid_t Pid, Tid;
  std::unique_ptr<Registers> Saved; ///< registers when it was stopped
  std::vector<char> Vectors; ///< vector registers, saved before the first call
  uint64_t Mask = 0;         ///< signal mask, also saved
  bool HasEnded = false, HasCalled = false;
  bool IsToStop = false; ///< a stop signal came during a call
};

/// Blocks the signals that would end this program while a thread of another
/// process depends on it.
class Uninterrupted {
public:
  Uninterrupted();
  ~Uninterrupted();
  Uninterrupted(const Uninterrupted &) = delete;
  Uninterrupted &operator=(const Uninterrupted &) = delete;

private:
  sigset_t Before;
};

// StackFrames.cpp: the calls of a stopped thread, by unwinding.

/// Unwinds threads of a process with the tables in its files. Not thread-safe.
class StackFrames {
public:
  /// \param Read reads the process's memory: (from, to, bytes) -> bytes read
  using Reader = std::function<size_t(uint64_t, void *, size_t)>;
  /// Records the files that the process has mapped now.
  StackFrames(pid_t Pid, Reader Read);
  ~StackFrames();

  /// Return addresses of a stopped thread, innermost first. Nullopt if a frame
  /// has no table, or the outermost was not reached: more may follow then.
  std::optional<std::vector<uint64_t>> returnAddresses(const ThreadCopy &Of);

private:
  struct State;
  std::unique_ptr<State> S;
};

} // namespace inmem::tools

#endif
