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

/// Recognises the format by the first bytes (RFC 1952, RFC 8878).
Compression compressionOf(std::span<const std::byte> File);

/// The command that unpacks a format that is not supported here, such as `bzip2
/// -dk`, judging by the first bytes; null for all other data.
const char *otherUnpacker(std::span<const std::byte> File);

/// Creates an unnamed file in $TMPDIR, or /tmp; -1 and errno on failure.
int temporaryFile();

/// Unpacks a compressed file to a descriptor. Consecutive streams are joined.
/// \param Cut if not null, set to whether the data ends early, which is an
/// error otherwise \returns an error for damaged or cut data, or if writing
/// fails.
Status unpack(std::span<const std::byte> File, Compression How,
              const std::string &Name, int To, bool *Cut = nullptr);

} // namespace inmem::trace

#endif
