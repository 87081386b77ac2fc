//===- HeapSnapshot.h - A child writes the heap down ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The process forks. The child has all memory as of that moment, because the
// kernel copies pages that the program changes. The program stops only for the
// fork, while the child takes its time. wait() does not report the child. It
// runs no code of the program, and holds none of the program's files open.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_HEAPSNAPSHOT_H
#define INMEM_RUNTIME_HEAPSNAPSHOT_H

#include <stddef.h>
#include <stdint.h>

namespace inmem::rt {

/// The purpose of a snapshot.
enum class SnapshotUse : uint8_t {
  Objects,  ///< all: blocks, what they hold, resident pages
  Resident, ///< `inmem resident`: no references between blocks, which take most
            ///< of the child's time
  Verified  ///< the same; then the child waits for remedies to try
            ///< (HeapTrials.cpp)
};

/// Needs the mutex, the guard set and signals blocked. \p InPlace: replaces the
/// previous snapshot, if any.
void takeHeapSnapshot(bool InPlace = false,
                      SnapshotUse Use = SnapshotUse::Objects);

/// snapshot=peak, snapshot=rss: takes a snapshot if \p Live bytes, or the
/// resident bytes, are far enough above the last one. Call without the mutex
/// and the guard.
void considerHeapPeak(int64_t Live);

/// Waits for all snapshots that are being written.
void waitForHeapSnapshots();
/// Call this in a forked child: running writers are its parent's.
void forgetHeapSnapshots();

} // namespace inmem::rt

#endif
