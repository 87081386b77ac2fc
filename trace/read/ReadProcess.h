//===- ReadProcess.h - One process of a trace file --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TRACE_READPROCESS_H
#define INMEM_TRACE_READPROCESS_H

#include "trace/read/Trace.h"

#include <limits>

namespace inmem::trace {

/// The nearest that the type holds.
template <class T> T saturatingAdd(T A, T B) {
  T Out;
  if (__builtin_add_overflow(A, B, &Out))
    return B > 0 ? std::numeric_limits<T>::max()
                 : std::numeric_limits<T>::min();
  return Out;
}

/// Reads the process that begins at \p Into.Base of \p Into.File. What is
/// damaged is left out and listed in its Diagnostics; an error is only a header
/// without which nothing can be read.
Status readProcess(Trace &Into);

} // namespace inmem::trace

#endif
