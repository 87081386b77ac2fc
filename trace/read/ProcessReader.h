//===- ProcessReader.h - One process of a trace file ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages of reading, in order; each uses what the stages before it have put
// into the trace. Private to trace/read/.
//
//   header           or there is no trace
//   ExtentIndex      which parts of the file are whole
//   RecordReader     types, sites, stacks: everything with a number
//   RowReader        rows, cells and totals, which refer to these numbers
//   readThreads      which counts belong to which thread
//   SnapshotReader   totals at marks
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TRACE_PROCESSREADER_H
#define INMEM_TRACE_PROCESSREADER_H

#include "trace/read/Diagnoser.h"

namespace inmem::trace {

/// Reads the process that begins at Trace::Base of Trace::File.
class ProcessReader {
public:
  /// \p Into has its file and base, and nothing else. It outlives this.
  explicit ProcessReader(Trace &Into) : Out(Into), Report(Into) {}

  /// Fills the trace. Damaged parts are left out and listed in its Diagnostics.
  /// \returns an error only if the header is not one of this version, without
  /// which nothing can be read. Call once.
  Status read();

private:
  Status readHeader();

  Trace &Out;
  Diagnoser Report;
};

} // namespace inmem::trace

#endif
