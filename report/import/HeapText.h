//===- HeapText.h - Heap profiles as text -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of gperftools, jemalloc and Go:
//
//   heap profile: LIVE: BYTES [ALL: BYTES] @ heapprofile      or heap_v2/PERIOD
//   LIVE: BYTES [ALL: BYTES] @ ADDRESS...                    innermost first
//   # ADDRESS FUNCTION+OFFSET FILE:LINE                      Go's, of each call
//
//   heap_v2/PERIOD                                            jemalloc's
//   @ ADDRESS...
//     t*: LIVE: BYTES [ALL: BYTES]
//
// then /proc/PID/maps. An address is that behind a call.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_IMPORT_HEAPTEXT_H
#define INMEM_REPORT_IMPORT_HEAPTEXT_H

#include "report/import/Imported.h"
#include "trace/read/Buffer.h"

#include <string>
#include <vector>

namespace inmem::report {

struct HeapText {
  /// Blocks and bytes that are alive, and all that were allocated; as sampled.
  struct Figures {
    uint64_t Live = 0, LiveBytes = 0, All = 0, AllBytes = 0;
  };
  /// Blocks of one stack.
  struct Row {
    Figures Of;
    std::vector<uint64_t> Addresses;     ///< innermost first
    std::vector<ImportedLocation> Calls; ///< their names; may be empty
  };
  struct Mapping {
    uint64_t Start = 0, End = 0, Offset = 0; ///< Offset: within the file
    std::string Path;
  };

  std::vector<Row> Rows;
  std::vector<Mapping> Maps; ///< file mappings, by Start
  std::string Program;       ///< its path; empty: unknown
  uint64_t Period = 0; ///< mean bytes between samples; 0 or 1: all are counted
  bool HasAll = false; ///< has totals of all blocks ever allocated
  bool IsOfClasses = false; ///< jemalloc's: sizes of its size classes
  bool Cut = false;         ///< the file ends in the middle of a line

  /// Scales sampled sums to estimates of the whole, as `go tool pprof` and
  /// jeprof do: a block of s bytes is sampled with probability 1 -
  /// e^(-s/period).
  void scale(uint64_t &Blocks, uint64_t &Bytes) const;
};

/// Errors name the byte and line.
trace::Result<HeapText> parseHeapText(const trace::Buffer &File);

} // namespace inmem::report

#endif
