//===- ProfileRecords.h - Records that samples refer to -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TRACE_PROFILERECORDS_H
#define INMEM_TRACE_PROFILERECORDS_H

#include "trace/format/Format.h"

namespace inmem::trace {

struct ProfileRecord {
  RecordHeader Header;
  ProfileClock Clock;
  uint32_t Depth; ///< frames of a stack at most
  uint64_t IntervalNs;
  StringOffset Include, Exclude; ///< globs on the interesting frame's function
};
static_assert(sizeof(ProfileRecord) == 32);

/// Cause of a thread's wait.
struct WaitRecord {
  RecordHeader Header;
  uint32_t Id;         ///< 1-based
  int32_t Call;        ///< number of the system call; -1: in none
  StringOffset Target; ///< a file's path, or a lock's place; 0: not known
  uint32_t Machine;    ///< that the number is of: EM_X86_64, EM_AARCH64
};
static_assert(sizeof(WaitRecord) == 24);

} // namespace inmem::trace

#endif
