//===- Retention.h - Old days leave a fleet's folder ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A new generation of the manifest names the files of old days no longer and
// gives each a tombstone; a later run deletes the files whose tombstones are
// older than a delay, so that readers of earlier generations can end. A file
// is deleted before its tombstone: a process that ends between the two leaves
// a tombstone without a file, which the next run drops.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_FLEET_RETENTION_H
#define INMEM_FLEET_RETENTION_H

#include "fleet/Manifest.h"

#include <optional>

namespace inmem::fleet {

struct RetentionOptions {
  int64_t Now = 0;               ///< seconds of Unix time
  int64_t Keep = 0;              ///< seconds: days that ended earlier expire
  int64_t DeleteAfter = 60 * 60; ///< seconds: age of tombstones
};

struct RetentionCounts {
  uint64_t Expired = 0, Traces = 0; ///< files, and the traces in them
  uint64_t Deleted = 0, Waiting = 0;
};

/// \param Folder has a manifest. One that another process maintains is an
/// error.
trace::Result<RetentionCounts> expire(const FleetFolder &Folder,
                                      const RetentionOptions &Options);

/// Seconds: a number and s, m, h, d or w, as "90d"; 0 is without a unit, too.
std::optional<int64_t> durationOf(std::string_view Text);

} // namespace inmem::fleet

#endif
