//===- Mapped.h - Mappings of the program, as they come and go --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mmap=on. Each change of a mapping is an event in a queue, which one thread at
// a time applies to the table of ranges and to the trace. No thread waits
// for another, no signal handler for what it interrupted, and recording makes
// no system call, except to get memory for its tables.
//
// A mapping that ends is announced before the kernel forgets it: another thread
// may get its addresses as soon as it has. One that begins is announced after.
// So events have the order of the kernel's for each address.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_MAPPED_H
#define INMEM_RUNTIME_MAPPED_H

#include "index/MappedRanges.h"
#include "trace/format/FeatureFormat.h"

namespace inmem::rt {

/// Values of mmap=, and: the process has not read it yet.
enum class MapRecording : uint8_t { Unknown, Off, On };
INMEM_HIDDEN extern Relaxed<MapRecording> RecordsMappings;

/// For the duration of a call that unmaps [Start, End).
class Unmapping {
public:
  Unmapping(uintptr_t Start, uintptr_t End);
  /// The call has failed: all is as before.
  void undo();
  /// The call has succeeded.
  void done();

private:
  uint64_t Token = 0; ///< 0: nothing of it is recorded
};

/// [\p Start, \p End) was mapped by the call that returns to \p Return, which
/// is saved at \p Back. A mapping that was there has ended. May change errno.
void noteMapped(uintptr_t Start, uintptr_t End, trace::MapCall Call,
                uintptr_t Return, const uintptr_t *Back);

/// Around a fork, so that the child's table is whole. Does nothing in a signal
/// handler that interrupted a change.
void lockMapped();
void unlockMapped();
/// In the child, which has only this thread. Without the lock, all ranges are
/// forgotten.
void becomeMappedOfChild();
/// Another trace begins. \p KeepRanges: of the same mappings.
void forgetMappedTotals(bool KeepRanges);

/// All ranges that are recorded. While no other thread changes them.
const MappedRanges &mappedRanges();

} // namespace inmem::rt

#endif
