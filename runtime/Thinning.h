//===- Thinning.h - Which lives the default clock times -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clock=auto times every block of a thread and site up to the 1024th, then 1 in
// 32. The benchmark's probe of the error this makes asks here too.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_THINNING_H
#define INMEM_RUNTIME_THINNING_H

#include <stdint.h>

namespace inmem::rt {

/// Lives of a thread and site that are timed without thinning.
inline constexpr uint64_t kExactLives = 1024;
/// How much a life stands for that was timed after those.
inline constexpr uint32_t kThinBy = 32;
/// isChosen's limit for that.
inline constexpr uint32_t kThinLimit =
    static_cast<uint32_t>((uint64_t{1} << 32) / kThinBy);

/// Weyl's sequence spreads the chosen ones evenly, and in step with no period
/// (docs/performance.md).
[[gnu::always_inline]] inline constexpr bool isChosen(uint64_t Nth,
                                                      uint32_t Limit) {
  return static_cast<uint32_t>(Nth) * 0x9E3779B1u < Limit;
}

} // namespace inmem::rt

#endif
