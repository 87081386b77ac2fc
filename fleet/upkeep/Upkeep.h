//===- Upkeep.h - A fleet's unused files ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file with a tombstone is deleted when the tombstone is older than a delay,
// so that readers of earlier generations can end. First a generation marks the
// tombstone, and an export that would name the file again cannot from then on;
// then the file is deleted, then its tombstone. A process that ends in between
// leaves a mark, and the next run does the rest. What a killed process left
// gets a tombstone, too, once it is old enough that no process can be about to
// name it.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_FLEET_UPKEEP_H
#define INMEM_FLEET_UPKEEP_H

#include "fleet/folder/Manifest.h"

namespace inmem::fleet {

/// Held by the one process that may delete files; ends with the process.
class MaintenanceLock {
public:
  explicit MaintenanceLock(const FleetFolder &Folder);
  MaintenanceLock(const MaintenanceLock &) = delete;
  MaintenanceLock &operator=(const MaintenanceLock &) = delete;
  ~MaintenanceLock();
  trace::Status Failure;

private:
  int File = -1;
};

struct UpkeepOptions {
  int64_t Now = 0;                   ///< seconds of Unix time
  int64_t DeleteAfter = 60 * 60;     ///< seconds: age of tombstones
  int64_t SweepAfter = 24 * 60 * 60; ///< seconds: age of what kills left
};

struct UpkeepCounts {
  uint64_t Deleted = 0, Waiting = 0; ///< files with tombstones
  uint64_t Swept = 0;                ///< files that a killed process left
};

/// Deletes what may be deleted. The caller holds the lock.
trace::Result<UpkeepCounts> removeUnneeded(const FleetFolder &Folder,
                                           const UpkeepOptions &Options);

} // namespace inmem::fleet

#endif
