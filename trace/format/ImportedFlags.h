//===- ImportedFlags.h - Facts that an imported trace lacks ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// More of FileHeader.Flags, for traces that `inmem import` converted from
// another tool's profile. Unknown figures are only consistent with the known
// ones.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TRACE_IMPORTEDFLAGS_H
#define INMEM_TRACE_IMPORTEDFLAGS_H

#include <stdint.h>

namespace inmem::trace {

enum ImportedFlags : uint32_t {
  kFlagImported = 128,
  kFlagNoTotals = 256,  ///< lacks allocated blocks and bytes
  kFlagNoFrees = 512,   ///< lacks freed and live blocks
  kFlagNoBlocks = 1024, ///< lacks block counts; has only bytes
  kFlagNoTemporary = 2048,
  kFlagNoPeak = 4096,
  kFlagNoLiveBySite = 8192, ///< lacks the sites of blocks alive at the end
  kFlagOfAMoment = 16384,   ///< shows a moment before the program's end
  /// Times of snapshots are not nanoseconds, but instructions, or bytes that
  /// were allocated and freed.
  kFlagTimeInInstructions = 32768,
  kFlagTimeInBytes = 65536
};

} // namespace inmem::trace

#endif
