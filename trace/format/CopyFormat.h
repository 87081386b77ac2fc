//===- CopyFormat.h - The compiler's record of copied strings -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of Meta extents (Format.h), as struct inmem_string_copy and
// inmem_source (abi.h).
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TRACE_COPYFORMAT_H
#define INMEM_TRACE_COPYFORMAT_H

#include "trace/format/Format.h"

namespace inmem::trace {

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

} // namespace inmem::trace

#endif
