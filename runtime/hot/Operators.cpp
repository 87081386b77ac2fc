//===- Operators.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hot/Operators.h"

#include "hot/FastPath.h"
#include "platform/Lock.h"
#include "unwind/Unwind.h"

namespace inmem::rt {

namespace {

/// Lower bound for what the kernel pushes between an interrupted function and
/// its handler: siginfo_t, ucontext_t and the floating-point registers.
constexpr uintptr_t kLeastSignalFrame = 512;

constinit Lock WalkLock;
constinit Unwinder Walks = {};
constinit const char *Walked = nullptr; ///< the thread that used it last

INMEM_COLD OperatorRoute walk() {
  Locked L(WalkLock);
  if (Walked != threadPointer())
    Walks.Low = Walks.High = 0; // of another thread's stack
  Walked = threadPointer();
  return routeFromOperator(Walks);
}

INMEM_COLD bool isOnWayFromOperator(ThreadState &T) {
  const OperatorRoute Route = walk();
  if (Route == OperatorRoute::None) {
    T.Operator = {};
    T.Suspended = T.Ignoring;
    updateFastPath(T);
  }
  return Route == OperatorRoute::Direct || Route == OperatorRoute::Unknown;
}

/// True if the frame \p Distance bytes up belongs to the operator's call, with
/// only calls in between.
bool isNear(inmem_operator Operator, uintptr_t Distance) {
  return Distance < kLeastSignalFrame &&
         reinterpret_cast<const uintptr_t *>(Operator.Frame)[1] ==
             Operator.Return;
}

} // namespace

bool isOfOperator(ThreadState &T) {
  // The usual case: the operator has called malloc.
  auto Here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return isNear(T.Operator, T.Operator.Frame - Here) || isOnWayFromOperator(T);
}

void releaseOperatorLock() {
  if (!WalkLock.isOwn())
    return;
  Walked = nullptr;
  WalkLock.release();
}

void resetOperatorLock() { WalkLock.reset(); }

} // namespace inmem::rt
