//===- ProfileFormat.h - profile=: where threads were ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A part of Format.h, which includes it.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TRACE_PROFILEFORMAT_H
#define INMEM_TRACE_PROFILEFORMAT_H

#include <stdint.h>

namespace inmem::trace {

enum class ProfileClock : uint32_t {
  Wall = 1, ///< every thread each interval, running or not
  Cpu = 2   ///< each thread per interval of its CPU time
};

enum ProfileFlags : uint16_t {
  kProfileLost = 1,    ///< the stack could not be walked; Stack is 0
  kProfileBlocked = 2, ///< the thread blocked the signal; Stack is 0
  kProfileDropped = 4  ///< there was no room for the sample; Stack is 0
};

/// Samples of one thread with one stack in one state. Counts only grow.
struct ProfileCell {
  uint32_t Stack;    ///< StackRecord.Id; 0: not known
  uint32_t Lifetime; ///< number of the thread (ThreadLifetime); 0: not known
  uint32_t Wait;     ///< WaitRecord.Id; 0: it ran, or could have
  uint16_t Flags;    ///< ProfileFlags
  uint16_t Session;  ///< number of the ProfileRecord, from 1
  uint64_t Count;    ///< intervals
};
static_assert(sizeof(ProfileCell) == 24);

} // namespace inmem::trace

#endif
