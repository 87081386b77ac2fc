//===- Exporter.h - Traces to a fleet's folder ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory depends on the size of a batch, not on the number of traces. Traces
// that are in the folder already are skipped, so that a killed export can
// simply run again.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_FLEET_EXPORTER_H
#define INMEM_FLEET_EXPORTER_H

#include "fleet/folder/Config.h"
#include "fleet/folder/Manifest.h"
#include "fleet/query/Duck.h"
#include "fleet/tables/Batch.h"

#include <chrono>
#include <unordered_set>

namespace inmem::fleet {

struct ExportOptions {
  size_t BatchTraces = 500;             ///< per file, of one day and service
  size_t BatchBytes = size_t{64} << 20; ///< total size of pending rows
  FleetConfig Config = {};
};

struct ExportCounts {
  uint64_t Traces = 0, Known = 0; ///< Known: already in the folder
  uint64_t Files = 0, Rows = 0, Bytes = 0;
};

/// Not thread-safe; several processes may export to one folder.
class Exporter {
public:
  static trace::Result<Exporter> open(const std::string &Folder,
                                      ExportOptions Options);

  /// Adds the processes of a trace file, or a heap profile of another tool
  /// (report/import). An error concerns the file, or the folder if
  /// folderFailed().
  trace::Status add(const std::string &File);
  /// Writes waiting rows, and names their files in the manifest.
  trace::Status finish();
  bool folderFailed() const { return Failed; }
  const ExportCounts &counts() const { return Sum; }

private:
  Exporter(FleetFolder Folder, Duck Engine, ExportOptions Options);
  trace::Status addTrace(const trace::Trace &T);
  trace::Result<bool> isKnown(const TraceKey &Key);
  trace::Status loadKnown(const std::string &Date, const Manifest &M);
  trace::Status flush(Batch &B);
  trace::Status flushLargest();
  trace::Status writeTable(const Batch &B, const Rows &R);
  trace::Status writeFile(FileEntry Entry, const Rows &R);
  trace::Status writeGrid();
  trace::Result<bool> nameIn(Manifest &Next);
  trace::Status commit();
  size_t waitingBytes() const;

  FleetFolder Folder;
  Duck Engine;
  ExportOptions Options;
  ExportCounts Sum;
  bool Failed = false;
  std::map<std::pair<std::string, std::string>, Batch> Batches;
  std::map<std::string, std::unordered_set<int64_t>> KnownByDate;
  std::vector<FileEntry> Pending; ///< written, not yet in the manifest
  std::chrono::steady_clock::time_point LastCommit;
};

/// The paths of a table's files, as a list for DuckDB's read_parquet.
std::string fileList(const FleetFolder &Folder,
                     const std::vector<const FileEntry *> &Files);

} // namespace inmem::fleet

#endif
