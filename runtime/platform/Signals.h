//===- Signals.h - Signals and the stacks they run on ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_SIGNALS_H
#define INMEM_RUNTIME_SIGNALS_H

#include "platform/Mappings.h"

#include <signal.h>

namespace inmem::rt {

/// sigaction() that bypasses the sanitizers' interceptor, which must not be
/// called before they are initialised and delays signals.
bool setAction(int Signal, const struct sigaction &Action);
bool readAction(int Signal, struct sigaction &Action);

/// Queues \p Signal with \p Value for a thread of this process. \returns 0 or
/// an errno value: EAGAIN at the user's limit of queued signals
int queueSignal(uint32_t Tid, int Signal, void *Value);

/// Starts a timer that sends \p Signal with \p Value to a thread each time it
/// has run for \p EveryNs, first after \p FirstNs. \returns 0 or an errno value
int startThreadTimer(uint32_t Tid, int Signal, void *Value, uint64_t FirstNs,
                     uint64_t EveryNs, int32_t &Timer);
void stopThreadTimer(int32_t Timer);

/// Installs a SIGBUS handler that calls \p Mend when a page of a mapped file is
/// missing. If \p Mend returns true, the access is retried; otherwise the
/// signal ends the process as it would without us. Does nothing if the program
/// handles or ignores SIGBUS; a handler that it installs later replaces this
/// one.
void repairLostPages(bool (*Mend)(const void *Address));

/// Removes that handler, unless the program has replaced it.
void stopRepairing();

/// The calling thread's alternate signal stack; empty if it has none or the
/// kernel does not report it.
AddressRange alternateStack();
void setAlternateStack(AddressRange Stack);

/// sigaltstack() as a system call.
int systemAlternateStack(const stack_t *Wanted, stack_t *Before);
/// The most that the kernel pushes on a stack before a handler runs.
size_t signalFrameBytes();
/// Takes a pending signal of the calling thread; false if none is pending.
bool takePendingSignal(int Signal, siginfo_t &Info);

/// Calls \p Function with \p Context on a separate stack of \p Bytes with all
/// signals blocked; false when out of memory. For calls that need more stack
/// than a signal handler or coroutine may have left.
bool runOnOwnStack(size_t Bytes, void (*Function)(void *), void *Context);

/// Blocks all signals except synchronous ones. For rare operations that would
/// not survive a longjmp out of a handler.
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
