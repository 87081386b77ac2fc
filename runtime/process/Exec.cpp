//===- Exec.cpp - exec and its relatives, daemon --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process that becomes another program leaves a trace that records this,
// rather than one that looks killed. Not for static executables, where nothing
// can be interposed.
//
//===----------------------------------------------------------------------===//
#include "platform/Errors.h"
#include "platform/Interpose.h"
#include "platform/Process.h"
#include "process/End.h"
#include "state/Runtime.h"

#include <stdarg.h>
#include <unistd.h>

using namespace inmem::rt;

using Words = char *const *;

INMEM_NEXT_FUNCTION(Execve, "execve", int(const char *, Words, Words));
INMEM_NEXT_FUNCTION(Execv, "execv", int(const char *, Words));
INMEM_NEXT_FUNCTION(Execvp, "execvp", int(const char *, Words));
INMEM_NEXT_FUNCTION(Execvpe, "execvpe", int(const char *, Words, Words));
INMEM_NEXT_FUNCTION(Fexecve, "fexecve", int(int, Words, Words));
INMEM_NEXT_FUNCTION(Execveat, "execveat",
                    int(int, const char *, Words, Words, int));
INMEM_NEXT_FUNCTION(Daemon, "daemon", int(int, int));

namespace {

/// Calls the next library's function between endForExec() and goOnAfterExec().
template <class... Arguments>
int execNext(NextFunction<int(Arguments...)> &Next, Arguments... Values) {
  auto *Real = Next.get();
  if (!Real) { // musl has no execveat
    errno = ENOSYS;
    return -1;
  }
  bool Ended = endForExec();
  int Result = Real(Values...);
  if (Ended)
    goOnAfterExec();
  return Result;
}

size_t countArguments(va_list More) {
  size_t Count = 1;
  while (va_arg(More, char *))
    ++Count;
  return Count;
}

} // namespace

INMEM_EXPORT int execve(const char *Path, Words Arguments, Words Environment) {
  return execNext(Execve, Path, Arguments, Environment);
}
INMEM_EXPORT int execv(const char *Path, Words Arguments) {
  return execNext(Execv, Path, Arguments);
}
INMEM_EXPORT int execvp(const char *File, Words Arguments) {
  return execNext(Execvp, File, Arguments);
}
INMEM_EXPORT int execvpe(const char *File, Words Arguments, Words Environment) {
  return execNext(Execvpe, File, Arguments, Environment);
}
INMEM_EXPORT int fexecve(int Fd, Words Arguments, Words Environment) {
  return execNext(Fexecve, Fd, Arguments, Environment);
}

INMEM_EXPORT int execveat(int Folder, const char *Path, Words Arguments,
                          Words Environment, int Flags) {
  return execNext(Execveat, Folder, Path, Arguments, Environment, Flags);
}

/// The parent ends inside the C library, by an _exit that is not ours.
INMEM_EXPORT int daemon(int KeepFolder, int KeepOutput) {
  auto *Real = Daemon.get();
  const uint32_t Pid = processId();
  const bool Records = Process.State == InitState::Ready && Process.Pid == Pid;
  finish(/*WriteReport=*/true);
  const int Result = Real(KeepFolder, KeepOutput);
  if (Records && processId() == Pid) // daemon() did not fork
    goOnAfterExec();
  return Result;
}

// Collects the arguments up to a null pointer, and for execle the environment.
// On the stack, as in the C library, since exec may not allocate.
#define INMEM_EXEC_LIST(Name, Vector, Environment)                             \
  INMEM_EXPORT int Name(const char *Path, const char *First, ...) {            \
    va_list More;                                                              \
    va_start(More, First);                                                     \
    size_t Count = First ? countArguments(More) : 0;                           \
    va_end(More);                                                              \
    auto **All =                                                               \
        static_cast<char **>(__builtin_alloca((Count + 1) * sizeof(char *)));  \
    All[0] = const_cast<char *>(First);                                        \
    va_start(More, First);                                                     \
    for (size_t I = 1; I <= Count; ++I)                                        \
      All[I] = va_arg(More, char *);                                           \
    [[maybe_unused]] auto Last = [&More] { return va_arg(More, char **); };    \
    int Result = execNext(Vector, Path, Words{All} Environment);               \
    va_end(More);                                                              \
    return Result;                                                             \
  }
#define INMEM_COMMA ,
INMEM_EXEC_LIST(execl, Execv, )
INMEM_EXEC_LIST(execlp, Execvp, )
INMEM_EXEC_LIST(execle, Execve, INMEM_COMMA Words{Last()})
