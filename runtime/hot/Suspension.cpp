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
  ++T.Suspension.Depth;
  closeAllocations(T);
}

static void end(ThreadState &T) {
  if (--T.Suspension.Depth > 0)
    return;
  if (INMEM_UNLIKELY(T.Scopes.ActsOnShared))
    kFeatures.LeaveSharedBudget(T);
  updateFastPath(T);
}

void suspend(ThreadState &T) {
  ++T.Suspension.Ignoring;
  begin(T);
}

void resume(ThreadState &T) {
  --T.Suspension.Ignoring;
  end(T);
}

static uint32_t closingsOf(const ThreadState &T) {
  return __atomic_load_n(&T.Closings, __ATOMIC_RELAXED);
}

/// Reopens the fast path unless it was closed or decided again since. Returns
/// true if it did.
static bool restore(ThreadState &T, const SavedFastPath &From) {
  if (T.Suspension.Depth != 1 || T.Scopes.ActsOnShared ||
      closingsOf(T) != From.Closings)
    return false;
  T.Suspension.Depth = 0;
  T.Fast.Mode = From.Mode;
  T.Callers.QuickPaths = From.Paths;
  T.Callers.Quick = From.Callers;
  T.Fast.AllocateSlots = From.AllocateSlots;
  // Pairs with the fences in IndexReturn.cpp and closeAllFastPaths
  // (Scopes.cpp).
  orderStores();
  if (closingsOf(T) != From.Closings)
    closeFastPath(T);
  return true;
}

// The order matters: a signal handler that runs between two of these lines
// finds either a complete operator or none.
void enterOperator(ThreadState &T, inmem_operator Entered,
                   OuterOperator &Outer) {
  Outer.Operator = T.Operators.Running;
  const uint32_t Before = closingsOf(T);
  orderStores();
  Outer.Saved = {T.Fast.AllocateSlots, 0, T.Callers.Quick, T.Callers.QuickPaths,
                 T.Fast.Mode};
  T.Operators.Running = Entered;
  orderStores();
  begin(T);
  // If another thread has closed the fast path since, it is not restored.
  const uint32_t After = closingsOf(T);
  Outer.Saved.Closings = After == Before + 1 ? After : After - 1;
}

void leaveOperator(ThreadState &T, const OuterOperator &Outer) {
  if (T.Suspension.Depth > T.Suspension.Ignoring && !restore(T, Outer.Saved))
    end(T);
  orderStores();
  T.Operators.Running = Outer.Operator;
}

//===----------------------------------------------------------------------===//
// Distinguishes an operator's own allocations from a signal handler's
//===----------------------------------------------------------------------===//

namespace {

constinit Lock WalkLock;
constinit Unwinder Walks = {};
constinit const char *Walked = nullptr; ///< thread that last used Walks

INMEM_COLD OperatorRoute walk() {
  Locked L(WalkLock);
  if (Walked != threadPointer())
    Walks.Low = Walks.High = 0; // bounds of another thread's stack
  Walked = threadPointer();
  return routeFromOperator(Walks);
}

INMEM_COLD bool isOnWayFromOperator(ThreadState &T) {
  const OperatorRoute Route = walk();
  if (Route == OperatorRoute::None) {
    T.Operators.Running = {};
    T.Suspension.Depth = T.Suspension.Ignoring;
    updateFastPath(T);
  }
  return Route == OperatorRoute::Direct || Route == OperatorRoute::Unknown;
}

} // namespace

bool isOfOperator(ThreadState &T) {
  // The usual case: the operator has called malloc.
  return isNearOperator(T) || isOnWayFromOperator(T);
}

void releaseOperatorLock() {
  if (!WalkLock.isOwn())
    return;
  Walked = nullptr;
  WalkLock.release();
}

void resetOperatorLock() { WalkLock.reset(); }

} // namespace inmem::rt
