//===- Sampling.h - Which allocations are recorded ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sample_bytes= fires the probes that OpenTelemetry's eBPF profiler listens for
// (its design document 00003, memory profiling, of 2026-07-22; provider and
// names as there):
//
//   otel_memory:alloc(pointer, size, weight)   a sampled allocation
//   otel_memory:free(pointer)                  the end of one
//
// `weight` is the number of bytes that the block represents, so that the sum
// over all samples is an unbiased estimate of what was allocated. A probe is a
// nop whose address is in an ELF note (.note.stapsdt, as systemtap's sys/sdt.h
// writes it): a listener replaces it by a breakpoint, and without one it costs
// a nop. Arguments are in the registers of the C calling convention.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_SAMPLING_H
#define INMEM_RUNTIME_SAMPLING_H

#include "state/ThreadState.h"

namespace inmem::rt {

/// Returns true if an allocation of \p Size bytes passes sample_bytes=, every=,
/// min_size= and max_size=. Counts it for the next decision.
bool passesFilters(ThreadState &T, uint64_t Size);
/// sample_bytes=: the number of blocks that a sampled block of \p Size bytes
/// represents.
double weightOf(uint64_t Size);
/// Sets the starting point of a thread that has just got its rows. For every=N
/// it is random among the first N blocks, so that threads with few blocks are
/// sampled, and each of their blocks with the same probability.
void beginSampling(ThreadState &T);

/// The two probes. Fired for blocks that sample_bytes= has sampled.
void probeAllocation(const void *P, uint64_t Size, uint64_t Weight);
void probeFree(const void *P);

} // namespace inmem::rt

#endif
