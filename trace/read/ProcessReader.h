//===- ProcessReader.h - Extents and records to a Trace ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TRACE_PROCESSREADER_H
#define INMEM_TRACE_PROCESSREADER_H

#include "trace/read/Trace.h"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace inmem::trace {

inline constexpr size_t kMaxDiagnostics = 1000;
inline constexpr uint32_t kMaxSites = 1u << 20;

/// A number in a message.
inline std::string text(uint64_t Value) { return std::to_string(Value); }

/// Builds one Trace. Stages: extents, records, then everything that refers to
/// records.
class ProcessReader {
public:
  explicit ProcessReader(Trace &Into) : Out(Into), Bytes(Into.File->bytes()) {}

  Status read();

private:
  void diagnose(Diagnostic::Level Level, uint64_t Offset, std::string What,
                std::string Expected = {}, std::string Found = {}) {
    // In proportion to what was read, or many small processes take much.
    const uint64_t Most = 10 + (Offset - std::min(Offset, Out.Base)) / 512;
    if (Out.Diagnostics.size() >= std::min<uint64_t>(kMaxDiagnostics, Most))
      ++Out.DiagnosticsLeftOut;
    else
      Out.Diagnostics.push_back({Level, Offset, std::move(What),
                                 std::move(Expected), std::move(Found)});
  }
  void damage(uint64_t Offset, std::string What, std::string Expected = {},
              std::string Found = {}) {
    diagnose(Diagnostic::Level::Damage, Offset, std::move(What),
             std::move(Expected), std::move(Found));
  }

  Status header();
  void readSeal();
  void walkExtents();
  bool atEnd(const ExtentHeader &E) const;
  uint64_t nextIntact(uint64_t From) const;
  void countWhole(Extent &E, uint64_t Available);
  void keep(const Extent &E, uint64_t Available);
  void readMeta(const Extent &E);
  void readRecord(uint64_t At, const RecordHeader &H);
  void readCommand(uint64_t At, const RecordHeader &H);
  void readType(uint64_t At, const RecordHeader &H);
  void readSite(uint64_t At, const RecordHeader &H);
  void readModule(uint64_t At, const RecordHeader &H);
  void readObject(uint64_t At, const RecordHeader &H);
  void readStringCopy(uint64_t At, const RecordHeader &H);
  void readSource(uint64_t At, const RecordHeader &H);
  void readFoundType(uint64_t At, const RecordHeader &H);
  void readCalledSite(uint64_t At, const RecordHeader &H);
  void readCallerCall(uint64_t At, const RecordHeader &H);
  void readStackRecord(uint64_t At, const RecordHeader &H);
  /// Loads a record that gives an id to a site; null if it does not.
  template <class Record>
  Site *siteRecord(uint64_t At, const RecordHeader &H, Record &R) {
    if (!loadRecord(At, H, R))
      return nullptr;
    return slot(
        Out.Sites, At, R.Id,
        std::min<uint64_t>(kMaxSites - 1, (Out.End - Out.Base) / sizeof R),
        "id of a site");
  }
  bool isKnownAddress(uint64_t At, uint32_t Address);
  template <class T>
  bool loadRecord(uint64_t At, const RecordHeader &H, T &Record);
  std::string_view stringOf(uint64_t At, const RecordHeader &H, StringOffset O);
  bool arrayFits(uint64_t At, const RecordHeader &H, uint32_t Offset,
                 uint64_t Count, uint64_t Size, const char *What);
  template <class Child>
  bool childrenFit(uint64_t At, const RecordHeader &H, uint32_t Offset,
                   uint32_t Count, const char *What);
  template <class T>
  T *slot(std::vector<T> &Table, uint64_t At, uint32_t Index, uint64_t Max,
          const char *What);
  bool takeOctaves(uint64_t At, const Row &R, std::vector<bool> &Taken);
  void readRows();
  template <class Function> void forEachRow(ExtentKind Kind, Function Visit);
  void readLive();
  void readCounters();
  void readSnapshots();
  void readPeak();
  void readPeakNotes();
  void readFrees();
  void readMapped();
  void readCommands();
  std::vector<Extent> inSequence(ExtentKind Kind) const;

  std::unordered_map<uint64_t, uint32_t> EntryOf; ///< (site, type) -> entry
  Trace &Out;
  std::span<const std::byte> Bytes;
  /// Where the process's part of the file ends at the latest; exactly there
  /// if its header's checksum holds.
  uint64_t Limit = 0;
  bool HasLimit = false;
};

} // namespace inmem::trace

#endif
