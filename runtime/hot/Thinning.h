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

/// The first lifetimes of a thread and site, all of which are timed.
inline constexpr uint64_t kExactLives = 1024;
/// Weight of each lifetime sampled after those.
inline constexpr uint32_t kThinBy = 32;

/// A Weyl sequence spreads the chosen lifetimes evenly and resonates with no
/// period (docs/performance.md): chosen if the phase is below the limit.
inline constexpr uint32_t kPhaseStep = 0x9E3779B1u;
inline constexpr uint32_t kPhaseLimit =
    static_cast<uint32_t>((uint64_t{1} << 32) / kThinBy);

/// From the life at \p Phase to the next that is chosen.
inline constexpr uint32_t stepsToChosen(uint32_t Phase) {
  uint32_t Steps = 1;
  while (Phase + Steps * kPhaseStep >= kPhaseLimit)
    ++Steps;
  return Steps;
}
/// The same where that life is chosen itself: the sequence has three gaps.
inline constexpr uint32_t stepsFromChosen(uint32_t Phase) {
  return Phase + 21 * kPhaseStep < kPhaseLimit   ? 21
         : Phase + 34 * kPhaseStep < kPhaseLimit ? 34
                                                 : 55;
}

enum class Choice : uint8_t { Untimed, Timed, Thinned };

/// Whether the \p Nth life of a row is timed, which the row's count down to it
/// has come to; sets \p Untimed and \p Phase for the next (trace::Row).
/// \p Seed: threads and sites do not go in step.
[[gnu::always_inline]] inline constexpr Choice
choose(int32_t &Untimed, uint32_t &Phase, uint64_t Nth, uint32_t Seed) {
  if (Nth <= kExactLives) {
    Untimed = 0;
    return Choice::Timed;
  }
  const bool Begins = Phase == 0;
  if (Begins)
    Phase = Seed * 0x85EBCA6Bu | 1;
  const bool Chosen = Phase < kPhaseLimit;
  const uint32_t Steps = Chosen ? stepsFromChosen(Phase) : stepsToChosen(Phase);
  Phase += Steps * kPhaseStep;
  Untimed = static_cast<int32_t>(Steps - 1);
  return Chosen ? Choice::Thinned : Choice::Untimed;
}

} // namespace inmem::rt

#endif
