//===- SnapshotReader.h - Snapshots, taken and pending ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fourth stage of reading a process. Private to trace/read/.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TRACE_SNAPSHOTREADER_H
#define INMEM_TRACE_SNAPSHOTREADER_H

#include "trace/read/Diagnoser.h"

namespace inmem::trace {

/// Reads the snapshots that the process took, and pending commands.
class SnapshotReader {
public:
  /// \param Into has its rows and totals. It and \p To outlive this.
  SnapshotReader(Trace &Into, Diagnoser &To)
      : Out(Into), Report(To), Bytes(Into.File->bytes()) {}

  /// Fills Trace::Snapshots. Unfinished ones are left out.
  void readTaken();
  /// Executes pending commands that change the trace: a snapshot of the current
  /// state, a phase, Recording. Call after readTaken().
  void readPending();

private:
  Trace &Out;
  Diagnoser &Report;
  std::span<const std::byte> Bytes;
};

} // namespace inmem::trace

#endif
