//===- WalkedPath.h - The way from the user's code to an allocation -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// callers=on, for a path that was not seen before. It is unwound up to the
// user's code, which begins at a labelled call of instrumented code or in a
// function of the program.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_WALKEDPATH_H
#define INMEM_RUNTIME_WALKEDPATH_H

#include "stacks/CallLabels.h"
#include "stacks/ProgramFrames.h"
#include "unwind/Unwind.h"

namespace inmem::rt {

/// Return addresses from the call that allocated outwards, up to the first one
/// in the user's code, or up to the point at which it is known to be missing.
struct WalkedPath {
  /// cppcheck at -O0 copies a structure of strings as part of a map, 31 calls
  /// below its own code. With a limit of 24, 2 % of its bytes had no caller.
  static constexpr unsigned kMostFrames = 40;
  CallerFrame Frames[kMostFrames];
  unsigned Count;
  const struct inmem_frame *Caller; ///< null if unknown
  /// The last frame is the program's, in code that was not compiled with inmem.
  bool EndsInProgram;

  /// True if there are more frames than fit.
  bool goesBeyond() const {
    return Count == kMostFrames && Frames[Count - 1].How != CallerFrame::None;
  }
};

/// True if paths of sites lead to callers.
inline bool searchesCallers() { return HasCallLabels || FollowsProgram; }

/// Walks from the frame whose return address is at \p Back. Needs the guard,
/// without the mutex; may change errno.
void walkPath(Unwinder &U, const uintptr_t *Back, WalkedPath &Out);

/// The id of blocks of \p Site, which has the plain id \p Id, that were reached
/// by \p Calls. Writes a new id to the trace, with the calls. Call without the
/// mutex.
uint32_t idOfPath(const struct inmem_site &Site, uint32_t Id,
                  const WalkedPath &Calls);

} // namespace inmem::rt

#endif
