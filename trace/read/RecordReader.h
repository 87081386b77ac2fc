//===- RecordReader.h - Types, sites, stacks and other names ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Second stage of reading a process. Private to trace/read/.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TRACE_RECORDREADER_H
#define INMEM_TRACE_RECORDREADER_H

#include "trace/read/Diagnoser.h"

namespace inmem::trace {

/// Sites have numbers below this.
inline constexpr uint32_t kMaxSites = 1u << 20;

/// Reads the records of Meta extents. A record that another one refers to comes
/// before it.
class RecordReader {
public:
  /// \param Into has its extents. It and \p To outlive this.
  RecordReader(Trace &Into, Diagnoser &To)
      : Out(Into), Report(To), Bytes(Into.File->bytes()) {}

  /// Fills the tables of types, sites, modules, addresses, stacks, threads,
  /// objects, copies, sources and phases. Strings point into the file. Records
  /// that do not make sense are reported and left out; a table never grows
  /// beyond the number of records that the file has room for.
  void read();

private:
  void readExtent(const Extent &E);
  void readRecord(uint64_t At, const RecordHeader &H);
  void readCommand(uint64_t At, const RecordHeader &H);
  void readType(uint64_t At, const RecordHeader &H);
  void readSite(uint64_t At, const RecordHeader &H);
  void readModule(uint64_t At, const RecordHeader &H);
  void readThread(uint64_t At, const RecordHeader &H);
  void readObject(uint64_t At, const RecordHeader &H);
  void readStringCopy(uint64_t At, const RecordHeader &H);
  void readSource(uint64_t At, const RecordHeader &H);
  void readFoundType(uint64_t At, const RecordHeader &H);
  void readPhase(uint64_t At, const RecordHeader &H);
  void readCalledSite(uint64_t At, const RecordHeader &H);
  void readCallerCall(uint64_t At, const RecordHeader &H);
  void readAddress(uint64_t At, const RecordHeader &H);
  void readStack(uint64_t At, const RecordHeader &H);
  void readStackedSite(uint64_t At, const RecordHeader &H);
  void readSymbol(uint64_t At, const RecordHeader &H);
  void readName(uint64_t At, const RecordHeader &H);

  // Each of these reports the damage for which it returns false, null or
  // nothing.

  /// Loads a record that is at least as long as its structure.
  template <class T>
  bool loadRecord(uint64_t At, const RecordHeader &H, T &Record);
  /// Loads a record that gives an id to a site.
  template <class Record>
  Site *siteRecord(uint64_t At, const RecordHeader &H, Record &R);
  bool isKnownAddress(uint64_t At, uint32_t Address);
  std::string_view stringOf(uint64_t At, const RecordHeader &H, StringOffset O);
  bool arrayFits(uint64_t At, const RecordHeader &H, uint32_t Offset,
                 uint64_t Count, uint64_t Size, const char *What);
  template <class Child>
  bool childrenFit(uint64_t At, const RecordHeader &H, uint32_t Offset,
                   uint32_t Count, const char *What);
  /// Element \p Index of a table, which grows as needed, if a file of this size
  /// can have that many.
  template <class T>
  T *slot(std::vector<T> &Table, uint64_t At, uint32_t Index, uint64_t Max,
          const char *What);
  /// The number of records of \p BytesEach bytes that the process has room for.
  uint64_t mostOf(size_t BytesEach) const {
    return (Out.End - Out.Base) / BytesEach;
  }

  Trace &Out;
  Diagnoser &Report;
  std::span<const std::byte> Bytes;
};

} // namespace inmem::trace

#endif
