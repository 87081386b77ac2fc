// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// status.h - why a scope or budget counts nothing, and misuse of one. Part of
// scope.h.
#ifndef INMEM_DETAIL_STATUS_H
#define INMEM_DETAIL_STATUS_H

#include "../scope_api.h"
#include "message.h"

#include <ostream> // also std::logic_error, for its own exceptions
#include <string>

#if defined(__cpp_exceptions) || defined(__EXCEPTIONS)
#define INMEM_DETAIL_EXCEPTIONS 1
#endif

namespace inmem::detail {

/// Why a scope is not exact. Completes "the allocations are not known: ...".
inline const char *reasonOf(int Status) {
  switch (Status) {
  case INMEM_SCOPE_OK:
    return "";
  case INMEM_SCOPE_OFF:
    return "inmem records nothing (mode=off or start=off)";
  case INMEM_SCOPE_SAMPLED:
    return "INMEM_OPTIONS leaves allocations out";
  case INMEM_SCOPE_WRONG_THREAD:
    return "the scope belongs to another thread";
  case INMEM_SCOPE_FORKED:
    return "the scope was opened before a fork";
  case INMEM_SCOPE_THREAD_ENDED:
    return "the thread has ended, and another one counts in its place";
  case INMEM_SCOPE_INCOMPLETE:
    return "there was no memory for the scope's books";
  default:
    return "not instrumented";
  }
}
constexpr int kNotInstrumented = -1;

inline int possible() {
  return inmem_scope_possible ? inmem_scope_possible() : kNotInstrumented;
}

[[noreturn]] inline void fail(const std::string &Message) {
#ifdef INMEM_DETAIL_EXCEPTIONS
  throw std::logic_error(Message);
#else
  die("inmem: " + Message + "\n");
#endif
}

} // namespace inmem::detail

#endif
