//===- Suspension.cpp - Allocations that are not recorded -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hot/Suspension.h"

#include "hot/FastPath.h"
#include "hot/Operators.h"
#include "hot/Recorder.h"
#include "state/Features.h"
#include "state/Runtime.h"

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

// A signal between two of these lines finds itself in a handler of that
// operator, or in no operator.
inmem_operator enterOperator(ThreadState &T, inmem_operator Entered) {
  inmem_operator Outer = T.Operator;
  T.Operator = Entered;
  __asm__ volatile("" ::: "memory");
  begin(T);
  return Outer;
}

void leaveOperator(ThreadState &T, inmem_operator Outer) {
  if (T.Suspended > T.Ignoring)
    end(T);
  __asm__ volatile("" ::: "memory");
  T.Operator = Outer;
}

} // namespace inmem::rt
