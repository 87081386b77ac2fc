//===- SearchedGaps.h - Where a walk has found no block ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_SEARCHEDGAPS_H
#define INMEM_RUNTIME_SEARCHEDGAPS_H

#include <stdint.h>

namespace inmem::rt {

/// Ranges of addresses where one walk has found no entry of the live index, so
/// that many pointers to freed memory cost one search. Valid when zero. Blocks
/// that another thread allocates there during the walk may be missed, as may
/// anything that it changes in places already walked.
class SearchedGaps {
public:
  /// The lowest address of the range that contains \p At, or \p At without one.
  uintptr_t lowest(uintptr_t At) const {
    for (const Gap &G : Gaps)
      if (At - G.From < G.To - G.From)
        return G.From;
    return At;
  }
  /// Notes that there is no entry from \p From until before \p To.
  void note(uintptr_t From, uintptr_t To) {
    constexpr uintptr_t kLeast = 64 * 1024; // searching less is cheap
    if (To - From < kLeast)
      return;
    for (Gap &G : Gaps)
      if (G.To != 0 && From <= G.To && G.From <= To) {
        G.From = From < G.From ? From : G.From;
        G.To = To > G.To ? To : G.To;
        return;
      }
    Gaps[Next++ % kMost] = {From, To};
  }

private:
  static constexpr unsigned kMost = 16;
  struct Gap {
    uintptr_t From, To;
  };
  Gap Gaps[kMost] = {};
  unsigned Next = 0;
};

} // namespace inmem::rt

#endif
