//===- ThreadState.cpp - The thread-local variables -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "state/ThreadState.h"

#ifdef INMEM_CHECK_LOCKS
#include "platform/Lock.h"
#endif

namespace inmem::rt {

constinit __thread ThreadState Thread
    __attribute__((tls_model("initial-exec"))) = {};
constinit __thread bool ThreadEnded __attribute__((tls_model("initial-exec"))) =
    false;
constinit Relaxed<uint32_t> SharedObservers = {}, SharedBudgets = {};
extern "C"
    __attribute__((visibility("default"), alias("_ZN5inmem2rt6ThreadE"),
                   tls_model("initial-exec"))) __thread void *__inmem_newest;
extern "C" __attribute__((
    visibility("default"),
    tls_model("initial-exec"))) constinit __thread uint64_t __inmem_context = 0;

#ifdef INMEM_CHECK_LOCKS
__attribute__((constructor(101))) static void checkLocks() {
  HoldsGuard = [] { return Thread.Inside.Guard != 0; };
}
#endif

} // namespace inmem::rt

extern "C" {
__attribute__((
    visibility("default"))) constinit __thread void *__inmem_returned = nullptr;
}
