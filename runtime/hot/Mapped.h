//===- Mapped.h - Mappings of the program, as they come and go --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mmap=on. Each change of a mapping becomes an event in a queue, which one
// thread at a time applies to the table of ranges and to the trace. Threads do
// not wait for each other, and signal handlers do not wait for the code that
// they interrupted. Recording makes system calls only to get memory for its
// tables.
//
// The end of a mapping is queued before the kernel unmaps it, because another
// thread may get the addresses immediately afterwards. The beginning is queued
// after the call. So for each address, events are in the order of the kernel's
// changes.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_MAPPED_H
#define INMEM_RUNTIME_MAPPED_H

#include "index/MappedRanges.h"
#include "trace/format/FeatureFormat.h"

namespace inmem::rt {

/// Values of mmap=. Unknown until the process has read its options.
enum class MapRecording : uint8_t { Unknown, Off, On };
INMEM_HIDDEN extern Relaxed<MapRecording> RecordsMappings;

/// Exists for the duration of a call that unmaps [Start, End).
class Unmapping {
public:
  Unmapping(uintptr_t Start, uintptr_t End);
  /// Call if unmapping failed: the mapping remains.
  void undo();
  /// Call if unmapping succeeded.
  void done();

private:
  uint64_t Token = 0; ///< 0: nothing recorded
};

/// [\p Start, \p End) was mapped by the call that returns to \p Return, which
/// is saved at \p Back. A mapping that was there has ended. May change errno.
void noteMapped(uintptr_t Start, uintptr_t End, trace::MapCall Call,
                uintptr_t Return, const uintptr_t *Back);

/// Call around a fork, so that the child gets a consistent table. Does nothing
/// in a signal handler that interrupted a change.
void lockMapped();
void unlockMapped();
/// Call in the child, which has only this thread. Forgets all ranges if
/// lockMapped() did nothing.
void becomeMappedOfChild();
/// Call when another trace begins. \p KeepRanges: the mappings remain, so their
/// ranges are kept.
void forgetMappedTotals(bool KeepRanges);

/// All recorded ranges. No other thread may change them during use.
const MappedRanges &mappedRanges();

} // namespace inmem::rt

#endif
