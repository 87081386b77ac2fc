//===- Thinning.h - Which lives the default clock times -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clock=auto times every block of a thread and site up to the 1024th, then 1 in
// 32. The benchmark that measures the resulting error uses this header, too.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_THINNING_H
#define INMEM_RUNTIME_THINNING_H

#include <stdint.h>

namespace inmem::rt {

/// The first lifetimes of a thread and site, all of which are timed.
inline constexpr uint64_t kExactLifetimes = 1024;
/// Weight of each lifetime sampled after those. Reading a clock at both ends
/// costs more than everything else that is done for a block
/// (docs/lifetimes.md).
inline constexpr uint32_t kThinBy = 32;

/// A Weyl sequence spreads the chosen lifetimes evenly and does not resonate
/// with any period. On json, its histogram was off by 0.004, that of every 32nd
/// lifetime by 0.097, and that of random choices by 0.006 or more
/// (docs/design/measurements.md). A lifetime is chosen if its term is below the
/// limit.
inline constexpr uint32_t kWeylStep = 0x9E3779B1u;
inline constexpr uint32_t kWeylLimit =
    static_cast<uint32_t>((uint64_t{1} << 32) / kThinBy);

/// The number of steps from the lifetime at \p Weyl to the next chosen one.
inline constexpr uint32_t stepsToChosen(uint32_t Weyl) {
  uint32_t Steps = 1;
  while (Weyl + Steps * kWeylStep >= kWeylLimit)
    ++Steps;
  return Steps;
}
/// As stepsToChosen(), if that lifetime is chosen itself. The step is close to
/// 2^32 divided by the golden ratio, so the sequence has three gaps, which are
/// Fibonacci numbers (three-distance theorem). Two comparisons replace the
/// loop.
inline constexpr uint32_t stepsFromChosen(uint32_t Weyl) {
  return Weyl + 21 * kWeylStep < kWeylLimit   ? 21
         : Weyl + 34 * kWeylStep < kWeylLimit ? 34
                                              : 55;
}

enum class Choice : uint8_t { Untimed, Timed, Thinned };

/// Decides about the \p Nth lifetime of a row, whose countdown has reached 0,
/// and sets \p Untimed and \p Weyl for the next one (trace::Row). \p Seed
/// differs between threads and sites, so that they do not select in step.
[[gnu::always_inline]] inline constexpr Choice
choose(int32_t &Untimed, uint32_t &Weyl, uint64_t Nth, uint32_t Seed) {
  if (Nth <= kExactLifetimes) {
    Untimed = 0;
    return Choice::Timed;
  }
  const bool Begins = Weyl == 0;
  if (Begins)
    Weyl = Seed * 0x85EBCA6Bu | 1;
  const bool Chosen = Weyl < kWeylLimit;
  const uint32_t Steps = Chosen ? stepsFromChosen(Weyl) : stepsToChosen(Weyl);
  Weyl += Steps * kWeylStep;
  Untimed = static_cast<int32_t>(Steps - 1);
  return Chosen ? Choice::Thinned : Choice::Untimed;
}

} // namespace inmem::rt

#endif
