//===- Compressed.h - Traces as gzip and zstd leave them ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TRACE_COMPRESSED_H
#define INMEM_TRACE_COMPRESSED_H

#include "trace/read/Status.h"

#include <cstddef>
#include <span>
#include <string>

namespace inmem::trace {

enum class Compression { None, Gzip, Zstd };

/// By the first bytes (RFC 1952, RFC 8878).
Compression compressionOf(std::span<const std::byte> File);

/// The command that unpacks a format that this does not read, such as
/// `bzip2 -dk`, by the first bytes; null if it is none of these.
const char *otherUnpacker(std::span<const std::byte> File);

/// A file without a name in $TMPDIR, or /tmp; -1 and errno if there is none.
int temporaryFile();

/// Writes what is in a compressed file to a descriptor. Several streams one
/// after another are one.
/// \param Cut if not null, set to whether the data ends early, which is an
/// error otherwise
/// \returns an error for damaged or cut data, or where writing fails.
Status unpack(std::span<const std::byte> File, Compression How,
              const std::string &Name, int To, bool *Cut = nullptr);

} // namespace inmem::trace

#endif
