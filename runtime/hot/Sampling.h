//===- Sampling.h - Which allocations are recorded ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_SAMPLING_H
#define INMEM_RUNTIME_SAMPLING_H

#include "state/ThreadState.h"

namespace inmem::rt {

/// sample_bytes=, every=, min_size=: whether to record an allocation of \p Size
/// bytes. Counts it.
bool passesFilters(ThreadState &T, uint64_t Size);
/// sample_bytes=: number of blocks that one of \p Size bytes represents.
double weightOf(uint64_t Size);
/// sample_bytes=, every=N: the starting point of a thread that just got its
/// block; for every=N a random one among the N, so that threads with few blocks
/// are seen, and each of their blocks equally often.
void beginSampling(ThreadState &T);

} // namespace inmem::rt

#endif
