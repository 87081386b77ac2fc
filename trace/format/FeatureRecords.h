//===- FeatureRecords.h - Records that options add to Meta extents --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TRACE_FORMAT_FEATURERECORDS_H
#define INMEM_TRACE_FORMAT_FEATURERECORDS_H

#include "trace/format/Format.h"

namespace inmem::trace {

// callers=on: sites by the code that called them.

/// An id for a site that is reached from one location in the user's code, the
/// nearest one above it (callers=on). These ids share the numbers of sites.
/// Otherwise as StackedSiteRecord; the site of a StackedSiteRecord may have
/// such an id.
struct CalledSiteRecord {
  RecordHeader Header;
  INMEM_STORED_IN(INMEM_CALLED_SITE_RECORD)
};
static_assert(sizeof(CalledSiteRecord) == 32);

/// A call on the first path seen from a caller to its site. The records of an
/// id are adjacent: first the call of the function that contains the site, last
/// the call in the caller.
struct CallerCallRecord {
  RecordHeader Header;
  INMEM_STORED_IN(INMEM_CALLER_CALL_RECORD)
};
static_assert(sizeof(CallerCallRecord) == 24);

// The compiler's records of copied strings, as struct inmem_string_copy and
// inmem_source (abi.h).

/// A source location; it does not imply that the code there ever ran.
struct StringCopyRecord {
  RecordHeader Header;
  INMEM_STORED_IN(INMEM_STRING_COPY_RECORD)
};
static_assert(sizeof(StringCopyRecord) == 40);

/// A source file of the user's, as it was compiled.
struct SourceRecord {
  RecordHeader Header;
  INMEM_STORED_IN(INMEM_SOURCE_RECORD)
};
static_assert(sizeof(SourceRecord) == 24);

// profile=: records that samples refer to.

struct ProfileRecord {
  RecordHeader Header;
  INMEM_STORED_IN(INMEM_PROFILE_RECORD)
};
static_assert(sizeof(ProfileRecord) == 32);

/// Cause of a thread's wait.
struct WaitRecord {
  RecordHeader Header;
  INMEM_STORED_IN(INMEM_WAIT_RECORD)
};
static_assert(sizeof(WaitRecord) == 24);

} // namespace inmem::trace

#endif
