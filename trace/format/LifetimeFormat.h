//===- LifetimeFormat.h - The buckets of a histogram of lifetimes ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TRACE_LIFETIMEFORMAT_H
#define INMEM_TRACE_LIFETIMEFORMAT_H

#include <stdint.h>

namespace inmem::trace {

/// Lifetimes are kept in log-linear buckets, eight to an octave: ticks below 8
/// are octave 0 (bucket = ticks); octave o >= 1 covers
/// [2^(o+2), 2^(o+3)) in eight equal buckets. So a bucket is at most 1/8 of
/// its lower bound wide (HdrHistogram's scheme with 3 significant bits).
inline constexpr unsigned kOctaves = 38;
inline constexpr unsigned kBucketsPerOctave = 8;

/// The number of low bits of \p Ticks that do not affect its bucket.
constexpr unsigned bitsBelowBucket(uint64_t Ticks) {
  return 60 - static_cast<unsigned>(__builtin_clzll(Ticks | 8));
}
constexpr unsigned octaveOf(uint64_t Ticks, unsigned Below) {
  return Below + (Ticks >= 8);
}
constexpr unsigned octaveOf(uint64_t Ticks) {
  return octaveOf(Ticks, bitsBelowBucket(Ticks));
}
constexpr unsigned bucketInOctave(uint64_t Ticks, unsigned Below) {
  return static_cast<unsigned>(Ticks >> Below) & 7u;
}
constexpr unsigned bucketInOctave(uint64_t Ticks) {
  return bucketInOctave(Ticks, bitsBelowBucket(Ticks));
}
/// First tick of bucket B of octave O (the end is the start of the next).
constexpr uint64_t bucketStart(unsigned O, unsigned B) {
  return O == 0 ? B : (uint64_t{8} + B) << (O - 1);
}
static_assert(octaveOf(7) == 0 && octaveOf(8) == 1 && octaveOf(15) == 1 &&
              octaveOf(16) == 2 && bucketInOctave(17) == 0 &&
              bucketInOctave(18) == 1 && bucketStart(2, 1) == 18);

} // namespace inmem::trace

#endif
