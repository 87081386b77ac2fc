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
/// Weight of each lifetime sampled after those.
inline constexpr uint32_t kThinBy = 32;

/// A Weyl sequence spreads the chosen lifetimes evenly and resonates with no
/// period (docs/design/measurements.md): chosen if its term is below the limit.
inline constexpr uint32_t kWeylStep = 0x9E3779B1u;
inline constexpr uint32_t kWeylLimit =
    static_cast<uint32_t>((uint64_t{1} << 32) / kThinBy);

/// From the lifetime at \p Weyl to the next that is chosen.
inline constexpr uint32_t stepsToChosen(uint32_t Weyl) {
  uint32_t Steps = 1;
  while (Weyl + Steps * kWeylStep >= kWeylLimit)
    ++Steps;
  return Steps;
}
/// As stepsToChosen(), if that lifetime is chosen itself: the sequence has
/// three gaps.
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
