//===- Sampling.h - Which allocations are recorded ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_SAMPLING_H
#define INMEM_RUNTIME_SAMPLING_H

#include "threads/ThreadState.h"

namespace inmem::rt {

/// sample_bytes=, every=, min_size=: whether an allocation of \p Size bytes is
/// recorded. Counts it.
bool passesFilters(ThreadState &T, uint64_t Size);
/// sample_bytes=: how many blocks one of \p Size bytes stands for.
double weightOf(uint64_t Size);
/// sample_bytes=, every=N: where a thread that has just got its block begins;
/// with the latter anywhere among the N, so that threads of few blocks are
/// seen, and each of their blocks as often.
void beginSampling(ThreadState &T);

} // namespace inmem::rt

#endif
