//===- CopyFormat.h - The compiler's record of copied strings -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of Meta extents (Format.h), as struct inmem_string_copy and
// inmem_source (abi.h).
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TRACE_COPYFORMAT_H
#define INMEM_TRACE_COPYFORMAT_H

#include "Format.h"

namespace inmem::trace {

/// A place of the source; it says nothing of whether code there ever ran.
struct StringCopyRecord {
  RecordHeader Header;
  uint64_t Key; ///< of the parameter; 0: a variable
  uint32_t Line;
  uint16_t Column;
  uint8_t Kind;          ///< enum inmem_copy_kind
  uint8_t Flags;         ///< enum inmem_copy_flags
  StringOffset Function; ///< linkage name; 0: an argument
  StringOffset File;
  StringOffset Name; ///< of the variable or parameter
  uint32_t Reserved;
};
static_assert(sizeof(StringCopyRecord) == 40);

/// A source file of the user's, as it was compiled.
struct SourceRecord {
  RecordHeader Header;
  uint64_t Hash; ///< XXH64 of its bytes; never 0
  StringOffset File;
  uint32_t Reserved;
};
static_assert(sizeof(SourceRecord) == 24);

} // namespace inmem::trace

#endif
