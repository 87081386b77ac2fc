//===- SignalWaits.cpp - sigwait and its relatives ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that wait for signals take any signal of a set. A thread that
// blocks all signals and waits for all of them therefore also receives the
// profiler's. The program must not see that signal, so these wrappers continue
// to wait. Not for static executables, where nothing can be interposed.
//
//===----------------------------------------------------------------------===//
#include "platform/Errors.h"
#include "platform/Interpose.h"
#include "profiler/SampledThread.h"

#include <signal.h>
#include <time.h>

using namespace inmem::rt;

INMEM_NEXT_FUNCTION(NextSigtimedwait, "sigtimedwait",
                    int(const sigset_t *, siginfo_t *,
                        const struct timespec *));

namespace {

constexpr long kSecond = 1000000000;

timespec now() {
  timespec Now = {};
  clock_gettime(CLOCK_MONOTONIC, &Now);
  return Now;
}

/// The part of \p Span, which began at \p Start, that is left at \p Now.
timespec leftOf(const timespec &Start, const timespec &Span,
                const timespec &Now) {
  timespec Left = {Start.tv_sec + Span.tv_sec - Now.tv_sec,
                   Start.tv_nsec + Span.tv_nsec - Now.tv_nsec};
  for (; Left.tv_nsec < 0; Left.tv_nsec += kSecond)
    --Left.tv_sec;
  for (; Left.tv_nsec >= kSecond; Left.tv_nsec -= kSecond)
    ++Left.tv_sec;
  return Left.tv_sec < 0 ? timespec{} : Left;
}

} // namespace

INMEM_EXPORT int sigtimedwait(const sigset_t *Set, siginfo_t *Info,
                              const struct timespec *Span) {
  auto *Real = NextSigtimedwait.get();
  siginfo_t Own;
  siginfo_t *To = Info ? Info : &Own;
  const timespec Start = Span ? now() : timespec{};
  timespec Left;
  for (const struct timespec *For = Span;; For = &Left) {
    const int Signal = Real(Set, To, Span ? For : nullptr);
    if (Signal <= 0 || !isQuestionTaken(*To))
      return Signal;
    if (Span)
      Left = leftOf(Start, *Span, now());
  }
}

INMEM_EXPORT int sigwaitinfo(const sigset_t *Set, siginfo_t *Info) {
  return sigtimedwait(Set, Info, nullptr);
}

/// Unlike the others it neither sets errno nor returns after a handler.
INMEM_EXPORT int sigwait(const sigset_t *Set, int *Result) {
  const SavedErrno Kept;
  int Signal;
  do
    Signal = sigtimedwait(Set, nullptr, nullptr);
  while (Signal < 0 && errno == EINTR);
  const int Error = Signal < 0 ? errno : 0;
  if (Error == 0)
    *Result = Signal;
  return Error;
}
