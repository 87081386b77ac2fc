//===- MappedFormat.h - Mappings of the program in a trace ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A part of Format.h, which includes it. mmap=on: memory that the program maps
// itself, by the call that did. None of it is part of the blocks' totals.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TRACE_MAPPEDFORMAT_H
#define INMEM_TRACE_MAPPEDFORMAT_H

#include <stdint.h>

namespace inmem::trace {

/// The function that a mapping comes from.
enum class MapCall : uint32_t { Mmap = 0, Mremap = 1, Sbrk = 2 };

/// MappedTotal.Site of the sum over all callers.
inline constexpr uint32_t kAllMapped = 0xffffffffu;

/// Mappings of one caller, in bytes of whole pages. What was unmapped, or
/// mapped over, is counted for the caller that had mapped it. mremap unmaps
/// what it is given and maps its result.
struct MappedTotal {
  uint32_t Site; ///< as Row.Site; 0: not known; kAllMapped
  MapCall Call;  ///< of the first mapping
  uint64_t Calls;
  uint64_t Bytes, UnmappedBytes;
  uint64_t PeakBytes; ///< highest of Bytes - UnmappedBytes
};
static_assert(sizeof(MappedTotal) == 40);

} // namespace inmem::trace

#endif
