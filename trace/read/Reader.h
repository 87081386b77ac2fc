//===- Reader.h - Bytes of a trace file to validated traces ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Treats every byte as hostile: offsets, counts and strings are checked before
// use, memory is bounded by the file's size, and each loop advances. Intact
// parts are kept; damaged ones become a Diagnostic. Follows Format.h.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TRACE_READER_H
#define INMEM_TRACE_READER_H

#include "trace/read/Trace.h"

namespace inmem::trace {

/// The processes of one file: usually one; several after `inmem merge`, which
/// puts traces one after another.
/// \returns an error if not even the first header can be read, or if it is of
/// another version. Damage further on is in Trace::Diagnostics.
Result<std::vector<Trace>>
readTraces(const std::shared_ptr<const Buffer> &File);

/// As above, for a path.
Result<std::vector<Trace>> readTraces(const std::string &Path);

} // namespace inmem::trace

#endif
