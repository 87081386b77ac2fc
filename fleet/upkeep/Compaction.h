//===- Compaction.h - Many small files of a day become few ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small files of a table, day and service are merged into one: a new file is
// written, then a generation of the manifest names it in place of its sources,
// which get tombstones. That generation is made only if it would replace all
// sources, so two processes never name rows twice. Answers stay the same. A
// merged file is named after its sources: an attempt that was killed is taken
// up where it ended.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_FLEET_COMPACTION_H
#define INMEM_FLEET_COMPACTION_H

#include "fleet/query/Duck.h"
#include "fleet/upkeep/Upkeep.h"

namespace inmem::fleet {

struct CompactionOptions {
  UpkeepOptions Upkeep = {};
  /// Files are merged up to this size; those above half of it stay as they are.
  uint64_t FileBytes = uint64_t{128} << 20;
  Limits Database = {};
};

struct CompactionCounts {
  uint64_t Sources = 0, Files = 0; ///< files before and after
  UpkeepCounts Upkeep;
};

/// \param Folder has a manifest. One that another process maintains is an
/// error.
trace::Result<CompactionCounts> compact(const FleetFolder &Folder,
                                        const CompactionOptions &Options);

} // namespace inmem::fleet

#endif
