//===- Verifier.h - Do a trace's figures agree with one another? ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The invariants of Format.h, apart from the reader's bounds: conservation
// (allocations = frees + live, per site over threads), order (a snapshot never
// exceeds the totals after it), sums (a histogram adds up to its row).
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TRACE_VERIFIER_H
#define INMEM_TRACE_VERIFIER_H

#include "trace/read/Trace.h"

namespace inmem::trace {

/// \returns the violations, at most a thousand diagnostics, in file order of
/// the first row concerned. A trace that is still being written may be read
/// between two updates; its diagnostics are then of level Note.
std::vector<Diagnostic> verify(const Trace &T);

} // namespace inmem::trace

#endif
