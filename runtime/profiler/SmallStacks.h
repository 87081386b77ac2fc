//===- SmallStacks.h - Alternate stacks that our handler does not fit -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel writes its frame to the alternate stack before the handler runs,
// and ends the process if the frame does not fit. So a thread with a small
// stack must not get the signal at all. Only the thread itself can query its
// alternate stack, so we interpose sigaltstack() (StackCalls.cpp) and learn of
// the stack before the kernel uses it. A stack that is set by the bare system
// call is not noticed.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_SMALLSTACKS_H
#define INMEM_RUNTIME_SMALLSTACKS_H

#include "profiler/SampledThread.h"

namespace inmem::rt {

/// True if our handler does not fit on \p Stack; false without an alternate
/// stack.
bool isSmallStack(AddressRange Stack);
/// True if the thread must not be sent the signal. Callable at any time.
bool hasSmallStack(uint32_t Tid);

/// Call when the calling thread sets this alternate stack, or ends ({}).
void noteAlternateStack(AddressRange Stack);

/// While this exists, no thread gets a small stack. Needs the guard.
class StacksHeld {
public:
  StacksHeld();
  ~StacksHeld();
  StacksHeld(const StacksHeld &) = delete;
  StacksHeld &operator=(const StacksHeld &) = delete;

  /// As hasSmallStack(), but the result cannot change while this exists.
  bool isSmall(uint32_t Tid) const;
  /// Makes \p T's timer stop when its thread gets a small stack; removeTimer()
  /// undoes that.
  void addTimer(SampledThread &T) const;
  void removeTimer(SampledThread &T) const;
};

/// Call this after fork, in the child.
void forgetSmallStacks();

} // namespace inmem::rt

#endif
