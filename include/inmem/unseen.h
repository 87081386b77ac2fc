// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// unseen.h - allocations that are nobody's; a part of scope.h and graph.h.
#ifndef INMEM_UNSEEN_H
#define INMEM_UNSEEN_H

#include "scope_api.h"

namespace inmem {

/// What the thread allocates while one of these lives is nobody's.
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
