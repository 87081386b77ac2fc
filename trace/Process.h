//===- Process.h - One process of a trace file -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TRACE_PROCESS_H
#define INMEM_TRACE_PROCESS_H

#include "Trace.h"

namespace inmem::trace {

/// Reads the process that begins at \p Into.Base of \p Into.File. What is
/// damaged is left out and listed in its Findings; an error is only a header
/// without which nothing can be read.
Status readProcess(Trace &Into);

} // namespace inmem::trace

#endif
