//===- RowReader.h - Rows, cells and their sums -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Third stage of reading a process. Private to trace/read/.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TRACE_ROWREADER_H
#define INMEM_TRACE_ROWREADER_H

#include "trace/read/Diagnoser.h"

#include <unordered_map>

namespace inmem::trace {

/// Reads rows, cells and totals, which refer to records by number. Numbers
/// without a record are kept if readers can show them as unknown, and reported
/// otherwise.
class RowReader {
public:
  /// \param Into has its extents and records. It and \p To outlive this.
  RowReader(Trace &Into, Diagnoser &To) : Out(Into), Report(To) {}

  /// Fills Entries and Rows, and adds up what each thread counted.
  void readRows();
  /// Fills the live bytes of the process and of each type, and the counts of
  /// objects. Sets Header.LastTicks to the last time that any thread noted.
  void readTotals();
  /// Fills the live bytes at the peak, notes around it, frees and mappings.
  void readLists();

private:
  bool takeOctaves(uint64_t At, const Row &R, std::vector<bool> &Taken);
  template <class Function> void forEachRow(ExtentKind Kind, Function Visit);
  void readLive();
  void readCounters();
  void readPeak();
  void readPeakNotes();
  void readFrees();
  void readMapped();

  Trace &Out;
  Diagnoser &Report;
  std::unordered_map<uint64_t, uint32_t> EntryOf; ///< (site, type) -> entry
};

} // namespace inmem::trace

#endif
