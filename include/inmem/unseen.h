// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// unseen.h - leaves allocations out of scopes and traces. Part of scope.h and
// graph.h.
#ifndef INMEM_UNSEEN_H
#define INMEM_UNSEEN_H

#include "scope_api.h"

namespace inmem {

/// Excludes this thread's allocations from scopes and traces while in scope.
class Unseen {
public:
  Unseen() {
    if (inmem_ignore_begin)
      inmem_ignore_begin();
  }
  ~Unseen() {
    if (inmem_ignore_end)
      inmem_ignore_end();
  }
  Unseen(const Unseen &) = delete;
  Unseen &operator=(const Unseen &) = delete;
};

} // namespace inmem

#endif
