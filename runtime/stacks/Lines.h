//===- Lines.h - Source lines from a file's debug information -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads DWARF 2 to 5 with libbacktrace, which does not need the heap and reads
// a unit's lines when its first address is looked up. A runtime built without
// the library finds no lines.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_LINES_H
#define INMEM_RUNTIME_LINES_H

#include <stddef.h>
#include <stdint.h>

namespace inmem::rt {

/// A frame of the source: a function, or a call inlined into the next one.
struct LineFrame {
  const char *Function; ///< linkage name; null: unknown
  const char *File;     ///< null: unknown
  uint32_t Line;        ///< 0 if unknown
};

/// The debug information of one file, or of its separate file below
/// /usr/lib/debug. Use one at a time, with the mutex. Its functions need some
/// tens of KiB of stack. It copies the sections that it reads, because the file
/// may shrink during the read. It never prints and reports no errors: if code's
/// information cannot be read, or needs too much memory, the code has no lines.
class LineReader {
public:
  static bool isAvailable();

  /// \param Path of the file; outlives this.
  /// \param Fd open on it; stays the caller's.
  /// \param MostBytes of memory at any time.
  LineReader(const char *Path, int Fd, size_t MostBytes);
  ~LineReader(); ///< frees all memory
  LineReader(const LineReader &) = delete;
  LineReader &operator=(const LineReader &) = delete;

  /// Looks up the source position of code at \p Address, in the file's own
  /// addresses. \param[out] Frames innermost first; valid until the next call.
  /// \returns how many there are
  unsigned find(uint64_t Address, const LineFrame *&Frames);
};

} // namespace inmem::rt

#endif
