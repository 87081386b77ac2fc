//===- SmallStacks.h - Alternate stacks that our handler does not fit -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel writes its frame to the alternate stack before the handler runs,
// and ends the process if the frame does not fit: such a thread must not get
// the signal at all. Only the thread itself can query its alternate stack, so
// sigaltstack() is ours (StackCalls.cpp): we know the stack before the kernel
// has it. A stack that is set by the bare system call is not seen.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_SMALLSTACKS_H
#define INMEM_RUNTIME_SMALLSTACKS_H

#include "profiler/SampledThread.h"

namespace inmem::rt {

/// True if our handler does not fit on it; no alternate stack is not small.
bool isSmallStack(AddressRange Stack);
/// True if the thread must not be sent the signal. Callable at any time.
bool hasSmallStack(uint32_t Tid);

/// The calling thread sets this alternate stack, or ends ({}).
void noteAlternateStack(AddressRange Stack);

/// While one exists, no thread gets a small stack. With the guard.
class StacksHeld {
public:
  StacksHeld();
  ~StacksHeld();
  StacksHeld(const StacksHeld &) = delete;
  StacksHeld &operator=(const StacksHeld &) = delete;

  /// hasSmallStack(), which does not change.
  bool isSmall(uint32_t Tid) const;
  /// Stops \p T's timer when its thread gets a small stack; undoes that.
  void addTimer(SampledThread &T) const;
  void removeTimer(SampledThread &T) const;
};

/// Call this after fork, in the child.
void forgetSmallStacks();

} // namespace inmem::rt

#endif
