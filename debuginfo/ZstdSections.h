//===- ZstdSections.h - Debug sections that zstd compresses ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libelf decompresses sections compressed by zlib. It decompresses those
// compressed by zstd only since 0.189.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_DEBUGINFO_ZSTDSECTIONS_H
#define INMEM_DEBUGINFO_ZSTDSECTIONS_H

namespace inmem::debuginfo {

/// Copies a 64-bit ELF file into memory and decompresses its sections there.
/// \param Fd of the file, at any position; stays open
/// \returns the copy, which the caller closes; -1 if no section is compressed
/// by zstd, or the file cannot be read
int withoutZstd(int Fd);

} // namespace inmem::debuginfo

#endif
