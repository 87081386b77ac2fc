//===- CallerFormat.h - Sites by who called them --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A part of the format (Format.h): the record of callers=.
#ifndef INMEM_TRACE_CALLERFORMAT_H
#define INMEM_TRACE_CALLERFORMAT_H

#include "Format.h"

namespace inmem::trace {

/// An id in the numbers of sites for a site as it is reached from one place in
/// the user's code, the nearest above it (callers=on). As StackedSiteRecord
/// otherwise; the site of one of those may be one of these.
struct CalledSiteRecord {
  RecordHeader Header;
  uint32_t Id;
  uint32_t Site;         ///< SiteRecord.Id
  StringOffset Function; ///< linkage name
  StringOffset File;
  uint32_t Line;
  uint32_t Column;
};
static_assert(sizeof(CalledSiteRecord) == 32);

} // namespace inmem::trace

#endif
