//===- ThreadFormat.h - Records of single threads in a trace --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A part of Format.h, which includes it. When a thread has ended, the next one
// continues in its rows: a ThreadLifetime has their counts when a thread began
// and when it ended.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TRACE_THREADFORMAT_H
#define INMEM_TRACE_THREADFORMAT_H

#include <stdint.h>

namespace inmem::trace {

/// Sums over a thread's rows of sites of heap blocks; blocks that moved to
/// another site (Row.MovedOut) count once.
struct ThreadCounts {
  uint64_t Allocations, Bytes, Frees, FreedBytes, Temporary;
};

enum ThreadLifetimeFlags : uint32_t {
  kLifetimeOfRest =
      1 ///< represents all further threads in these rows, beyond the limit
};

/// One thread. Lifetimes are numbered from 1 in the order of their elements.
struct ThreadLifetime {
  uint32_t Index; ///< ExtentHeader.Owner of its rows; 0: none yet
  uint32_t Tid;
  uint32_t Flags; ///< ThreadLifetimeFlags
  uint32_t Start; ///< AddressRecord.Id of the function it began in; 0: unknown
  uint64_t BeganNs;    ///< since recording began
  uint64_t EndedNs;    ///< 0: it had not ended
  char Name[16];       ///< its last name; NUL-terminated
  ThreadCounts Before; ///< counts in its rows when it began
  ThreadCounts
      After; ///< counts in its rows when it ended; valid if EndedNs != 0
};
static_assert(sizeof(ThreadLifetime) == 128);

enum class CrossingKind : uint32_t { Bytes = 1, Blocks = 2 };

/// A watcher saw that a thread had allocated another multiple of the threshold.
struct ThreadCrossing {
  uint32_t Lifetime; ///< ThreadLifetime number
  CrossingKind Kind;
  uint64_t AtNs;   ///< since recording began
  uint64_t Amount; ///< the multiple crossed, in bytes or blocks
  uint64_t Total;  ///< the thread's allocations at this look
  uint32_t Times;  ///< number of multiples that this represents
  uint32_t Reserved;
};
static_assert(sizeof(ThreadCrossing) == 40);

/// Bytes that a thread allocated over time, while it was watched. Column I of
/// the active form is [FromNs + I * WidthNs, FromNs + (I + 1) * WidthNs). The
/// other form is written while this one is read.
struct ThreadLine {
  static constexpr unsigned kColumns = 32;
  struct Form {
    uint64_t FromNs; ///< since recording began; a multiple of WidthNs
    uint64_t WidthNs;
    uint64_t Bytes[kColumns];
  };
  uint32_t Lifetime; ///< ThreadLifetime number
  uint32_t Active;
  Form Forms[2];
};
static_assert(sizeof(ThreadLine) == 552);

} // namespace inmem::trace

#endif
