//===- Sandbox.cpp - prctl ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In seccomp's strict mode, and after PR_SET_TSC, a thread that reads the
// processor's clock gets SIGSEGV, and one that queries the kernel for the time
// is killed. From then on we do not time lifetimes on such a thread; everything
// else is counted.
//
// Before a sandbox begins, the trace gets room for several hundred sites,
// because the calls that let it grow may be forbidden afterwards. Ending the
// trace makes no calls.
//
//===----------------------------------------------------------------------===//
#include "allocator/Allocator.h"
#include "hot/FastPath.h"
#include "hot/Threads.h"
#include "platform/Interpose.h"
#include "platform/Process.h"
#include "platform/Tasks.h"
#include "state/Runtime.h"
#include "state/SlowPath.h"

#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>

using namespace inmem::rt;

/// \p Begins: this is the sandbox itself, not one of the calls that precede it.
/// A forked child then opens its trace, too, while it still may.
static void prepareForSandbox(ThreadState &T, bool Begins) {
  constexpr uint64_t kRoom = 1024 * 1024;
  const SlowEvent Inside(T);
  const bool HasTrace =
      Process.State == InitState::Ready && !isUnnoticedChild();
  if (!Inside || !(HasTrace || (Begins && ensureStarted())))
    return;
  bool Borrows = false;
  attach(T, Borrows);
  {
    Locked L(Process.Mutex);
    Process.Trace.makeRoom(kRoom);
  }
  if (Borrows)
    detachBorrowed(T);
}

#ifdef INMEM_STATIC
static constexpr auto *nextPrctl() { return systemPrctl; }
#else
INMEM_NEXT_FUNCTION(NextPrctl, "prctl",
                    int(int, unsigned long, unsigned long, unsigned long,
                        unsigned long));
static auto *nextPrctl() {
  auto *Found = NextPrctl.get();
  return Found ? Found : systemPrctl; // the C library precedes us
}
#endif

INMEM_EXPORT int INMEM_INTERPOSED(prctl)(int Option, ...) {
  va_list More; // read even if the option does not use them
  va_start(More, Option);
  unsigned long Arguments[4];
  for (unsigned long &Each : Arguments)
    Each = va_arg(More, unsigned long);
  va_end(More);
  auto *Call = nextPrctl();
  const bool LosesClock =
      (Option == PR_SET_SECCOMP && Arguments[0] == SECCOMP_MODE_STRICT) ||
      (Option == PR_SET_TSC && Arguments[0] == PR_TSC_SIGSEGV);
  ThreadState &T = Thread;
  const bool Before = T.Fast.HasNoClock;
  if (Option == PR_SET_SECCOMP || Option == PR_SET_NO_NEW_PRIVS) {
    MayBeSandboxed = true;
    prepareForSandbox(T, Option == PR_SET_SECCOMP);
  }
  if (LosesClock)
    setHasNoClock(T, true);
  const int Result =
      Call(Option, Arguments[0], Arguments[1], Arguments[2], Arguments[3]);
  if (LosesClock && Result != 0)
    setHasNoClock(T, Before);
  if (Option == PR_SET_TSC && Arguments[0] == PR_TSC_ENABLE && Result == 0)
    setHasNoClock(T, false);
  return Result;
}
