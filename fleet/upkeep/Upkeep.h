//===- Upkeep.h - A fleet's unused files ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file with a tombstone is deleted when the tombstone is older than a delay,
// so that readers of earlier generations can finish. First a generation marks
// the tombstone, so that no export can name the file again. Then the file is
// deleted, and last its tombstone. If a process ends in between, the mark
// remains, and the next run continues. Leftovers of killed processes also get a
// tombstone, once they are so old that no process can still be about to name
// them.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_FLEET_UPKEEP_H
#define INMEM_FLEET_UPKEEP_H

#include "fleet/folder/Manifest.h"
#include "fleet/query/Duck.h"

namespace inmem::fleet {

/// Held by the one process that may delete files. It is released when the
/// process ends.
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
  int64_t Now = 0;               ///< seconds of Unix time
  int64_t DeleteAfter = 60 * 60; ///< seconds: age of tombstones
  int64_t SweepAfter =
      24 * 60 * 60; ///< seconds: age of leftovers of killed processes
};

struct UpkeepCounts {
  uint64_t Deleted = 0, Waiting = 0; ///< files with tombstones
  uint64_t Swept = 0;                ///< files that a killed process left
};

/// Deletes all files that are due. The caller holds the lock.
trace::Result<UpkeepCounts> removeUnneeded(const FleetFolder &Folder,
                                           const UpkeepOptions &Options);

// Compaction.cpp: Many small files of a day become few.
//
// Small files of a table, day and service are merged into one: a new file is
// written, then a generation of the manifest names it in place of its sources,
// which get tombstones. That generation is made only if it would replace all
// sources, so two processes never name rows twice. Answers stay the same. A
// merged file is named after its sources: an attempt that was killed is taken
// up where it ended.

struct CompactionOptions {
  UpkeepOptions Upkeep = {};
  /// Files are merged up to this size. Files above half of it are not merged.
  uint64_t FileBytes = uint64_t{128} << 20;
  Limits Database = {};
};

struct CompactionCounts {
  uint64_t Sources = 0, Files = 0; ///< files before and after
  UpkeepCounts Upkeep;
};

/// \param Folder has a manifest. If another process maintains it, that is an
/// error.
trace::Result<CompactionCounts> compact(const FleetFolder &Folder,
                                        const CompactionOptions &Options);

// Retention.cpp: Old days leave a fleet's folder.
//
// A new generation of the manifest names the files of old days no longer and
// gives each a tombstone; Upkeep.h deletes them.

struct RetentionOptions {
  UpkeepOptions Upkeep = {};
  int64_t Keep = 0; ///< seconds: days that ended earlier expire
};

struct RetentionCounts {
  uint64_t Expired = 0, Traces = 0; ///< files, and the traces in them
  UpkeepCounts Upkeep;
};

/// \param Folder has a manifest. If another process maintains it, that is an
/// error.
trace::Result<RetentionCounts> expire(const FleetFolder &Folder,
                                      const RetentionOptions &Options);

} // namespace inmem::fleet

#endif
