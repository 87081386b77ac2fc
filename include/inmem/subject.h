// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// subject.h - the threads whose allocations a scope or budget counts. Part of
// scope.h and budget.h.
#ifndef INMEM_SUBJECT_H
#define INMEM_SUBJECT_H

#include "scope_api.h"

namespace inmem {

/// The threads whose allocations a scope or budget counts.
struct Subject {
  uintptr_t id = 0;
};
constexpr Subject thisThread{0}, allThreads{INMEM_ALL_THREADS};
/// \p Thread is a std::thread's native_handle(): a pthread_t, which is an
/// unsigned long with glibc and with musl.
inline Subject oneThread(unsigned long Thread) {
  return {static_cast<uintptr_t>(Thread)};
}

} // namespace inmem

#endif
