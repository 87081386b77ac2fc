//===- FeatureRecords.h - Records that options add to Meta extents --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TRACE_FORMAT_FEATURERECORDS_H
#define INMEM_TRACE_FORMAT_FEATURERECORDS_H

#include "trace/format/Format.h"

namespace inmem::trace {

// callers=on: sites by the code that called them.

/// The id of a site when it is reached from one place in the user's code, the
/// nearest above it (callers=on). These ids share the numbers of sites.
/// Otherwise as StackedSiteRecord; the site of a StackedSiteRecord may have
/// such an id.
struct CalledSiteRecord {
  RecordHeader Header;
  INMEM_STORED_IN(INMEM_CALLED_SITE_RECORD)
};
static_assert(sizeof(CalledSiteRecord) == 32);

/// A call on the way from a caller to its site, of the first such way that was
/// seen. The records of an id follow each other: the call of the function that
/// has the site first, that in the caller last.
struct CallerCallRecord {
  RecordHeader Header;
  INMEM_STORED_IN(INMEM_CALLER_CALL_RECORD)
};
static_assert(sizeof(CallerCallRecord) == 24);

// The compiler's records of copied strings, as struct inmem_string_copy and
// inmem_source (abi.h).

/// A place of the source; it says nothing of whether code there ever ran.
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
