//===- ExtentIndex.h - Which extents of a trace are whole -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// First stage of reading a process. Private to trace/read/.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TRACE_EXTENTINDEX_H
#define INMEM_TRACE_EXTENTINDEX_H

#include "trace/read/Diagnoser.h"

namespace inmem::trace {

/// Finds the extents of one process. Assumes nothing about the file except that
/// it can be read.
class ExtentIndex {
public:
  /// \param Into has its file, base and header. It and \p To outlive this.
  ExtentIndex(Trace &Into, Diagnoser &To)
      : Out(Into), Report(To), Bytes(Into.File->bytes()) {}

  /// Fills Trace::Extents with the extents that have a valid header and
  /// checksum, and sets Sealed, Cut and End. Damaged parts are reported and
  /// left out. Reads each byte of the process once.
  void read();

private:
  void readSeal();
  void walk();
  bool atEnd(const ExtentHeader &E) const;
  uint64_t nextIntact(uint64_t From) const;
  void countWhole(Extent &E, uint64_t Available);
  void keepIfIntact(const Extent &E, uint64_t Available);
  void keep(const Extent &E, uint64_t Available);
  void compareLength();

  Trace &Out;
  Diagnoser &Report;
  std::span<const std::byte> Bytes;
  /// An upper bound for the end of the process's part of the file; exact if its
  /// header's checksum holds.
  uint64_t Limit = 0;
  bool HasLimit = false;
};

/// The extents of \p Kind in \p From in the order in which they were written.
std::vector<Extent> inSequence(const Trace &From, ExtentKind Kind);

} // namespace inmem::trace

#endif
