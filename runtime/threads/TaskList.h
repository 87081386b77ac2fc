//===- TaskList.h - The process's threads, by id --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_TASKLIST_H
#define INMEM_RUNTIME_TASKLIST_H

#include "platform/Tasks.h"
#include "tables/PagedArray.h"

namespace inmem::rt {

/// Ids of the process's threads, sorted. Owns pages.
class TaskList {
public:
  TaskList();
  ~TaskList() { Ids.release(); }
  TaskList(const TaskList &) = delete;
  TaskList &operator=(const TaskList &) = delete;

  const uint32_t *ids() const { return Ids.Data; }
  uint32_t count() const { return Ids.Count; } ///< 0: /proc does not say

private:
  PagedArray<uint32_t> Ids = {};
};

} // namespace inmem::rt

#endif
