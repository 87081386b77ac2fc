//===- Signals.h - Signals and the stacks they run on ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_SIGNALS_H
#define INMEM_RUNTIME_SIGNALS_H

#include "platform/Mappings.h"

#include <signal.h>

namespace inmem::rt {

/// sigaction() past the one that sanitizers put before it, which must not be
/// called before they have begun, and holds signals back until a thread is
/// elsewhere.
bool setAction(int Signal, const struct sigaction &Action);
bool readAction(int Signal, struct sigaction &Action);

/// Sends \p Signal with \p Value to a thread of this process. 0, or an errno
/// value: EAGAIN where the user's limit of queued signals is reached.
int queueSignal(uint32_t Tid, int Signal, void *Value);

/// A timer that sends \p Signal with \p Value to a thread whenever that has run
/// for \p EveryNs, the first time for \p FirstNs. 0, or an errno value.
int startThreadTimer(uint32_t Tid, int Signal, void *Value, uint64_t FirstNs,
                     uint64_t EveryNs, int32_t &Timer);
void stopThreadTimer(int32_t Timer);

/// From now on \p Mend is called, in a signal handler, where a page of a mapped
/// file cannot be had (SIGBUS); if it returns true, the access is retried.
/// Otherwise the signal ends the process, as without us. Does nothing where
/// the program handles or ignores that signal itself; a handler that it sets
/// later replaces this one.
void mendLostPages(bool (*Mend)(const void *Address));

/// The calling thread's stack for signal handlers; empty without one, or where
/// the kernel does not say.
AddressRange alternateStack();
void setAlternateStack(AddressRange Stack);

/// sigaltstack() as a system call.
int systemAlternateStack(const stack_t *Wanted, stack_t *Before);
/// The most that the kernel writes to a stack before a handler runs.
size_t signalFrameBytes();
/// Takes a signal that waits for the calling thread; false: there is none.
bool takePendingSignal(int Signal, siginfo_t &Info);

/// Calls \p Function with \p Context on a stack of \p Bytes of its own, with
/// all signals blocked; false if there is no memory for it. For what needs more
/// than may be left on the program's: in a signal handler, in a coroutine.
bool runOnOwnStack(size_t Bytes, void (*Function)(void *), void *Context);

/// Blocks all signals but those that the thread itself causes. For what is rare
/// and would not survive a longjmp out of a handler.
class SignalsBlocked {
public:
  SignalsBlocked();
  ~SignalsBlocked();
  SignalsBlocked(const SignalsBlocked &) = delete;
  SignalsBlocked &operator=(const SignalsBlocked &) = delete;

private:
  uint64_t Before = 0;
};

} // namespace inmem::rt

#endif
