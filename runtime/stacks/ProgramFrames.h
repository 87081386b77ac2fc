//===- ProgramFrames.h - The program's own frame on a stack ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// callers=on in a program that was not compiled with inmem. No table shows
// which calls are the program's. So a frame is skipped if it is in a library of
// the system, in an instance of the C++ library's templates, or in a function
// that returns the block that it allocated.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_PROGRAMFRAMES_H
#define INMEM_RUNTIME_PROGRAMFRAMES_H

#include "platform/Compiler.h"

#include <stdint.h>

namespace inmem::rt {

/// True if callers are searched and no file is instrumented.
INMEM_HIDDEN extern Relaxed<bool> FollowsProgram;

/// Follows a stack from the call that allocated outwards.
class ProgramSearch {
public:
  enum Step : uint8_t {
    Outwards, ///< a library's or a wrapper's code: try the caller
    Found,    ///< the program's own code
    Unknown   ///< in no file, or so far from the block that libraries
              ///< work on their own behalf
  };
  /// Examines the next frame and its call, which returns to \p Return. Needs
  /// the guard, without the mutex; may change errno.
  Step look(uintptr_t Return);

private:
  unsigned Frames = 0;
  bool IsReturned = true; ///< all functions so far return the block
};

} // namespace inmem::rt

#endif
