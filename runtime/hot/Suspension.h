//===- Suspension.h - Allocations that are not recorded -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread stops recording its allocations inside inmem_ignore(), and inside an
// operator new or delete that the program replaced (Replaced.c). The block that
// such an operator returns belongs to the program and is recorded. The blocks
// that it allocates to do its work are the allocator's and would count twice.
//
// A signal handler that interrupts an operator allocates on its own behalf, so
// its blocks are recorded. Only the stack shows the difference: isOfOperator()
// compares two words in the usual case and unwinds in the others.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_SUSPENSION_H
#define INMEM_RUNTIME_SUSPENSION_H

#include "platform/Compiler.h"
#include "state/ThreadState.h"

namespace inmem::rt {

/// Suspends recording on this thread, also for signal handlers; nests.
void suspend(ThreadState &T);
void resume(ThreadState &T);

/// Suspends recording for the duration of an operator; nests. Fills \p Outer
/// for leaveOperator().
void enterOperator(ThreadState &T, inmem_operator Entered,
                   OuterOperator &Outer);
void leaveOperator(ThreadState &T, const OuterOperator &Outer);

/// Lower bound for what the kernel pushes between an interrupted function and
/// its handler: siginfo_t, ucontext_t and the floating-point registers.
#if defined(__aarch64__)
inline constexpr uintptr_t kLeastSignalFrame = 4096;
#else
inline constexpr uintptr_t kLeastSignalFrame = 512;
#endif

/// Returns true if the calling function's frame is so close to the operator's
/// that there are only calls in between, no signal handler. Call inside an
/// operator.
INMEM_INLINE bool isNearOperator(const ThreadState &T) {
  const uintptr_t Distance =
      T.Operators.Running.Frame -
      reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return Distance < kLeastSignalFrame &&
         reinterpret_cast<const uintptr_t *>(T.Operators.Running.Frame)[1] ==
             T.Operators.Running.Return;
}

/// Returns true if this allocation is certainly not recorded, without the guard
/// and without a stack walk: the usual case of an operator's own. Taking the
/// guard would drop the events of a signal handler that interrupts it.
INMEM_INLINE bool isNotRecordedHere(const ThreadState &T) {
  return INMEM_UNLIKELY(T.Suspension.Depth > 0) &&
         (T.Suspension.Ignoring > 0 || isNearOperator(T));
}

/// Returns true if an allocation of this thread, which is in an operator, is
/// the operator's own. Returns false if it is a signal handler's, or if a jump
/// has left the operator, whose suspension then ends. Returns true if the stack
/// does not show it (no unwind tables, not x86-64). Needs the guard, without
/// the mutex.
bool isOfOperator(ThreadState &T);

/// Call after fork, in the child.
void resetOperatorLock();
/// Releases a lock that a jump left held by the calling thread (Recovery.h).
void releaseOperatorLock();

} // namespace inmem::rt

#endif
