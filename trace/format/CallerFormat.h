//===- CallerFormat.h - Sites by who called them --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A part of the format (Format.h): the records of callers=.
#ifndef INMEM_TRACE_CALLERFORMAT_H
#define INMEM_TRACE_CALLERFORMAT_H

#include "trace/format/Format.h"

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

/// A call on the way from a caller to its site, of the first such way that was
/// seen. The records of an id follow each other: the call of the function that
/// has the site first, that in the caller last.
struct CallerCallRecord {
  RecordHeader Header;
  uint32_t Id;     ///< CalledSiteRecord.Id, of an earlier record
  uint32_t Module; ///< ModuleRecord.Id; 0: unknown
  uint64_t Offset; ///< of the last byte of the call, from the module's base
};
static_assert(sizeof(CallerCallRecord) == 24);

} // namespace inmem::trace

#endif
