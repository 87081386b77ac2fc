//===- SmallStacks.h - Alternate stacks that our handler does not fit -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel writes its frame to the alternate stack before the handler runs,
// and ends the process if there is no room: such a thread must not be sent the
// signal at all. Which stack a thread has only the thread can ask, so
// sigaltstack() is ours (StackCalls.cpp): what it sets is known here before the
// kernel has it. A stack that is set by the bare system call is not seen.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_SMALLSTACKS_H
#define INMEM_RUNTIME_SMALLSTACKS_H

#include "profiler/SampledThread.h"

namespace inmem::rt {

/// Whether our handler does not fit; no stack at all is none of those.
bool isSmallStack(AddressRange Stack);
/// Whether the thread is not to be sent the signal. Any time.
bool hasSmallStack(uint32_t Tid);

/// The calling thread has this alternate stack; or ends, with {}.
void noteAlternateStack(AddressRange Stack);

/// While one exists, no thread gets a small stack. With the guard.
class StacksHeld {
public:
  StacksHeld();
  ~StacksHeld();
  StacksHeld(const StacksHeld &) = delete;
  StacksHeld &operator=(const StacksHeld &) = delete;

  /// hasSmallStack(), which stays so.
  bool isSmall(uint32_t Tid) const;
  /// \p T's timer is stopped when its thread gets a small stack; not any more.
  void addTimer(SampledThread &T) const;
  void removeTimer(SampledThread &T) const;
};

/// After fork, in the child.
void forgetSmallStacks();

} // namespace inmem::rt

#endif
