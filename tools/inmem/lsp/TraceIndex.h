//===- TraceIndex.h - Traces by line of source ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The figures that an editor shows next to lines, small enough to keep in
// memory. A child process reads the traces and writes this to a nameless file.
// The server reads line records and their labels from it, and hover texts when
// needed.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TOOLS_LSP_TRACEINDEX_H
#define INMEM_TOOLS_LSP_TRACEINDEX_H

#include "report/formats/Json.h"
#include "trace/read/Status.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace inmem::tools {

/// A text in the index's file.
struct StoredText {
  uint64_t Offset = 0;
  uint64_t Bytes = 0;
};

/// A line that allocated. If two runs are compared, it has the figures of both.
struct LineRecord {
  uint32_t Line = 0; ///< 1-based
  uint32_t Flags = 0;
  uint64_t Blocks = 0, Bytes = 0;
  uint64_t OldBlocks = 0, OldBytes = 0;
  uint32_t LabelAt = 0, LabelBytes = 0; ///< position of label()
  StoredText Details;                   ///< Markdown

  enum : uint32_t { kWasThere = 1, kIsThere = 2, kShared = 4 };
};

/// A source file as named in the trace.
struct FileRecord {
  std::string Path;
  std::vector<uint64_t> Hashes; ///< of its text; empty: not recorded
  size_t First = 0, Count = 0;  ///< range in lines()
};

/// Traces for writeIndex(), and the parts of them that are needed.
struct IndexRequest {
  std::string Trace;
  bool Compares = false;
  /// Traces to compare with: the first one of the same program is used. A
  /// single trace may be of another program.
  std::vector<std::string> Before;
};

/// Reads traces and writes the index to \p Fd. Meant for a child process: it
/// takes as much memory as a report. \returns a one-line error
trace::Status writeIndex(const IndexRequest &Of, int Fd);

class TraceIndex {
public:
  /// \param Fd as written by writeIndex(); closed with the index
  static trace::Result<std::unique_ptr<TraceIndex>> read(int Fd);
  ~TraceIndex();
  TraceIndex(const TraceIndex &) = delete;
  TraceIndex &operator=(const TraceIndex &) = delete;

  /// Members: file, command, executable, pid, start_unix_ns, running, notes,
  /// unit (ns or bytes), before (a file or null), folders, findings (as in
  /// "inmem-report/1", each with `saves`).
  const report::Json &head() const { return Head; }
  const std::vector<FileRecord> &files() const { return Files; }
  const std::vector<LineRecord> &lines() const { return Lines; }
  /// The text of a line's hint, escaped for a JSON string.
  std::string_view label(const LineRecord &Of) const {
    return std::string_view(Labels).substr(Of.LabelAt, Of.LabelBytes);
  }
  /// The larger of the shares of all bytes and of all blocks, 0 to 1.
  double share(uint64_t Bytes, uint64_t Blocks) const {
    const auto Of = [](uint64_t Part, uint64_t Whole) {
      return Whole ? static_cast<double>(Part) / static_cast<double>(Whole) : 0;
    };
    return std::max(Of(Bytes, TotalBytes), Of(Blocks, TotalBlocks));
  }
  std::string text(const StoredText &Of) const;
  /// Markdown about classes whose unqualified name is \p Word.
  std::vector<StoredText> classes(const std::string &Word) const;

private:
  explicit TraceIndex(int Descriptor) : Fd(Descriptor) {}

  int Fd;
  uint64_t TotalBytes = 0, TotalBlocks = 0;
  report::Json Head;
  std::vector<FileRecord> Files;
  std::vector<LineRecord> Lines;
  std::string Labels;
  std::multimap<std::string, StoredText> Classes;
};

} // namespace inmem::tools

#endif
