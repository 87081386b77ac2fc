//===- Suspension.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hot/Suspension.h"

#include "hot/FastPath.h"
#include "hot/Recorder.h"
#include "platform/Lock.h"
#include "state/Features.h"
#include "state/Runtime.h"
#include "unwind/Unwind.h"

namespace inmem::rt {

static void begin(ThreadState &T) {
  ++T.Suspended;
  closeAllocations(T);
}

static void end(ThreadState &T) {
  if (--T.Suspended > 0)
    return;
  if (INMEM_UNLIKELY(T.ActsOnShared))
    kFeatures.LeaveSharedBudget(T);
  updateFastPath(T);
}

void suspend(ThreadState &T) {
  ++T.Ignoring;
  begin(T);
}

void resume(ThreadState &T) {
  --T.Ignoring;
  end(T);
}

static uint32_t closingsOf(const ThreadState &T) {
  return __atomic_load_n(&T.Closings, __ATOMIC_RELAXED);
}

/// Opens the fast path again, unless someone has closed or decided it since.
/// \returns whether it did
static bool restore(ThreadState &T, const SavedFastPath &From) {
  if (T.Suspended != 1 || T.ActsOnShared || closingsOf(T) != From.Closings)
    return false;
  T.Suspended = 0;
  T.Mode = From.Mode;
  T.QuickPaths = From.Paths;
  T.QuickCallers = From.Callers;
  T.AllocateSlots = From.AllocateSlots;
  // Pairs with IndexReturn.cpp and closeAllFastPaths (Scopes.cpp).
  orderStores();
  if (closingsOf(T) != From.Closings)
    closeFastPath(T);
  return true;
}

// A signal between two of these lines finds itself in a handler of that
// operator, or in no operator.
void enterOperator(ThreadState &T, inmem_operator Entered,
                   OuterOperator &Outer) {
  Outer.Operator = T.Operator;
  const uint32_t Before = closingsOf(T);
  orderStores();
  Outer.Saved = {T.AllocateSlots, 0, T.QuickCallers, T.QuickPaths, T.Mode};
  T.Operator = Entered;
  orderStores();
  begin(T);
  // If another thread has closed it since, nothing is restored.
  const uint32_t After = closingsOf(T);
  Outer.Saved.Closings = After == Before + 1 ? After : After - 1;
}

void leaveOperator(ThreadState &T, const OuterOperator &Outer) {
  if (T.Suspended > T.Ignoring && !restore(T, Outer.Saved))
    end(T);
  orderStores();
  T.Operator = Outer.Operator;
}

//===----------------------------------------------------------------------===//
// Which allocations inside an operator are the operator's own
//===----------------------------------------------------------------------===//

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
