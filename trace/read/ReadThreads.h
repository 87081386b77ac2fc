//===- ReadThreads.h - Threads of a trace ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TRACE_READTHREADS_H
#define INMEM_TRACE_READTHREADS_H

#include "trace/read/Trace.h"

namespace inmem::trace {

/// Fills in Trace::LivedThreads, Crossings and ThreadLines. Call after extents,
/// records and rows have been read.
void readThreads(Trace &Out);

} // namespace inmem::trace

#endif
