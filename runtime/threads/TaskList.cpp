//===- TaskList.cpp - The process's threads, by id ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "threads/ThreadLifetimes.h"

namespace inmem::rt {

TaskList::TaskList() {
  forEachTask(
      [](void *List, uint32_t Tid) {
        auto &Sorted = *static_cast<PagedArray<uint32_t> *>(List);
        uint32_t *At = Sorted.add();
        // The kernel lists threads in order of creation, so mostly by id.
        for (; At && At > Sorted.Data && At[-1] > Tid; --At)
          At[0] = At[-1];
        if (At)
          *At = Tid;
      },
      &Ids);
}

} // namespace inmem::rt
