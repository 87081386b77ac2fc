//===- Tasks.h - Threads as the kernel lists them -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_TASKS_H
#define INMEM_RUNTIME_TASKS_H

#include <stddef.h>
#include <stdint.h>

namespace inmem::rt {

/// How many threads the process has; 0: /proc does not say.
uint32_t countTasks();

/// Ids of the process's threads, sorted. Owns pages.
class TaskList {
public:
  TaskList();
  ~TaskList();
  TaskList(const TaskList &) = delete;
  TaskList &operator=(const TaskList &) = delete;

  const uint32_t *ids() const { return Ids; }
  uint32_t count() const { return Count; } ///< 0: /proc does not say

private:
  bool add(uint32_t Tid);

  uint32_t *Ids = nullptr;
  uint32_t Count = 0, Capacity = 0;
};

} // namespace inmem::rt

#endif
