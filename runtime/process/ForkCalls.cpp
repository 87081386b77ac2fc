//===- ForkCalls.cpp - _Fork and clone ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// vfork is noted: its child shares our memory, and must not end the trace.
// So are functions that fork without calling the handlers of pthread_atfork. A
// bare clone system call is noticed at the child's first event (Start.h). Not
// for static executables, where nothing can be interposed.
//
//===----------------------------------------------------------------------===//
#include "platform/Compiler.h"
#include "platform/Interpose.h"
#include "platform/Process.h"
#include "process/Start.h"

#include <sched.h>
#include <stdarg.h>
#include <unistd.h>

using namespace inmem::rt;

INMEM_NEXT_FUNCTION(NextFork, "_Fork", pid_t());
INMEM_NEXT_FUNCTION(NextClone, "clone",
                    int(int (*)(void *), void *, int, void *, ...));

INMEM_NEXT_FUNCTION(NextVfork, "vfork", pid_t());

namespace {

struct ChildCall {
  int (*Function)(void *);
  void *Argument;
};

int runInChild(void *Call) {
  afterForkInChild();
  auto *C = static_cast<ChildCall *>(Call);
  return C->Function(C->Argument);
}

} // namespace

/// fork without the handlers of pthread_atfork.
INMEM_EXPORT pid_t _Fork(void) {
  auto *Real = NextFork.get();
  beforeFork();
  pid_t Child = Real ? Real() : fork();
  if (Child == 0)
    afterForkInChild();
  else
    afterForkInParent();
  return Child;
}

/// A new process without CLONE_VM is a forked child.
INMEM_EXPORT int clone(int (*Function)(void *), void *Stack, int Flags,
                       void *Argument, ...) {
  va_list More; // read even if the flags do not use them
  va_start(More, Argument);
  auto *ParentTid = va_arg(More, pid_t *);
  void *Tls = va_arg(More, void *);
  auto *ChildTid = va_arg(More, pid_t *);
  va_end(More);
  auto *Real = NextClone.get();
  if (Flags & CLONE_VM)
    return Real(Function, Stack, Flags, Argument, ParentTid, Tls, ChildTid);
  ChildCall Call = {Function, Argument};
  beforeFork();
  int Child = Real(runInChild, Stack, Flags, &Call, ParentTid, Tls, ChildTid);
  afterForkInParent();
  return Child;
}

#ifdef __clang__ // other compilers may not tail-call
/// vfork returns twice, to the caller's frame, so ours must be gone.
INMEM_EXPORT pid_t vfork(void) {
  HasVforked = true;
  INMEM_TAIL return NextVfork.get()();
}
#endif
