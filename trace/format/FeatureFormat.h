//===- FeatureFormat.h - Sections that options add to a trace ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of Format.h, which includes this.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TRACE_FORMAT_FEATUREFORMAT_H
#define INMEM_TRACE_FORMAT_FEATUREFORMAT_H

#include <stdint.h>

namespace inmem::trace {

// mmap=on: memory that the program maps itself, by the call that mapped it.
// None of it is part of the blocks' totals.

/// The function that mapped the memory.
enum class MapCall : uint32_t { Mmap = 0, Mremap = 1, Sbrk = 2 };

/// MappedTotal.Site of the sum over all callers.
inline constexpr uint32_t kAllMapped = 0xffffffffu;

/// Mappings of one caller, in bytes of whole pages. Bytes that were unmapped,
/// or mapped over, are counted for the caller that had mapped them. mremap
/// unmaps its argument and maps its result.
struct MappedTotal {
  uint32_t Site; ///< as Row.Site; 0 if unknown; or kAllMapped
  MapCall Call;  ///< the first call that mapped
  uint64_t Calls;
  uint64_t Bytes, UnmappedBytes;
  uint64_t PeakBytes; ///< maximum of Bytes - UnmappedBytes
};
static_assert(sizeof(MappedTotal) == 40);

// Elements of Peak and PeakRows extents (Format.h).

/// Blocks of a site that were alive at the last new peak of the process that
/// was at least 1/128 above the previously noted one. Rewritten in place, with
/// Used 0 during the change.
struct PeakEntry {
  uint32_t Site;
  uint32_t Reserved;
  int64_t LiveBytes;
};
static_assert(sizeof(PeakEntry) == 16);

/// Counts of a site around the process's peak, all threads added up. Two
/// extents take turns: the last note before the peak and the first after it.
/// Rewritten in place, with Used 0 during the change. The first element is of
/// site 0: Order numbers the note; Bytes is the highest that the process had
/// reached by then. Allocations is 1 if the process was just rising to that
/// peak, with a block that no row had yet, and 0 if the peak had been reached
/// before.
struct PeakRow {
  uint32_t Site;
  uint32_t Order;
  uint64_t Allocations, Bytes;
  uint64_t Frees,
      FreedBytes; ///< including blocks that __inmem_retag moved to other sites
};
static_assert(sizeof(PeakRow) == 40);

// profile=: samples of threads' stacks.

enum class ProfileClock : uint32_t {
  Wall = 1, ///< every thread each interval, running or not
  Cpu = 2   ///< each thread per interval of its CPU time
};

enum ProfileFlags : uint16_t {
  kProfileLost = 1,    ///< the stack could not be walked; Stack is 0
  kProfileBlocked = 2, ///< the thread blocked the signal; Stack is 0
  kProfileDropped = 4  ///< the sample found no free cell; Stack is 0
};

/// Samples of one thread with one stack in one state. Counts only grow.
struct ProfileCell {
  uint32_t Stack;    ///< StackRecord.Id; 0 if unknown
  uint32_t Lifetime; ///< number of the ThreadLifetime; 0 if unknown
  uint32_t Wait;     ///< WaitRecord.Id; 0: running or runnable
  uint16_t Flags;    ///< ProfileFlags
  uint16_t Session;  ///< number of the ProfileRecord, from 1
  uint64_t Count;    ///< number of intervals
};
static_assert(sizeof(ProfileCell) == 24);

} // namespace inmem::trace

#endif
