//===- Retention.h - Old days leave a fleet's folder ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A new generation of the manifest names the files of old days no longer and
// gives each a tombstone; Upkeep.h deletes them.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_FLEET_RETENTION_H
#define INMEM_FLEET_RETENTION_H

#include "fleet/upkeep/Upkeep.h"

namespace inmem::fleet {

struct RetentionOptions {
  UpkeepOptions Upkeep = {};
  int64_t Keep = 0; ///< seconds: days that ended earlier expire
};

struct RetentionCounts {
  uint64_t Expired = 0, Traces = 0; ///< files, and the traces in them
  UpkeepCounts Upkeep;
};

/// \param Folder has a manifest. One that another process maintains is an
/// error.
trace::Result<RetentionCounts> expire(const FleetFolder &Folder,
                                      const RetentionOptions &Options);

} // namespace inmem::fleet

#endif
