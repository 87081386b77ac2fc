//===- UnitLines.h - Lines and source files of units ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libdw keeps all lines of a unit in memory, 40 bytes each, including those of
// functions that the linker has discarded. That was half of a report's memory.
// Here a second session reads them, and ends soon.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_DEBUGINFO_UNITLINES_H
#define INMEM_DEBUGINFO_UNITLINES_H

#include "debuginfo/Recent.h"

#include <cstdint>
#include <elfutils/libdw.h>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace inmem::debuginfo {

/// The lines of one unit's code, and its source files.
class UnitLines {
public:
  struct Line {
    const std::string &File; ///< the name that libdw gives
    uint32_t Number, Column; ///< 0: unknown
  };

  /// \param Unit of a session that may end \param Code ranges of its code, as
  /// lower and upper ends; empty if unknown
  UnitLines(Dwarf_Die Unit, const std::map<Dwarf_Addr, Dwarf_Addr> &Code);

  std::optional<Line> at(Dwarf_Addr Address) const;
  /// The file with that number in DW_AT_decl_file and similar attributes; empty
  /// if unknown.
  const std::string &file(size_t Number) const;
  bool empty() const { return Files.empty(); }

private:
  struct Row {
    Dwarf_Addr Address;
    uint32_t File, Number;
    uint32_t Column : 31;
    uint32_t IsEnd : 1; ///< end of a sequence
  };
  std::vector<std::string> Files, Sources; ///< by file number; by Row::File
  std::vector<Row> Rows;                   ///< by address
};

/// The lines of units, each read on first use. Not thread-safe.
class LineReader {
public:
  LineReader() = default;
  ~LineReader() { endSession(); }
  LineReader(const LineReader &) = delete;
  LineReader &operator=(const LineReader &) = delete;

  /// Valid until trim().
  const UnitLines &of(Dwarf_Die Unit);
  /// Keeps the lines of \p Most units.
  void trim(size_t Most) { Units.trim(Most); }
  /// Call this before the files of units are closed.
  void endSession();

private:
  Recent<const void *, UnitLines> Units; ///< by unit
  Dwarf *Session = nullptr;
  Elf *File = nullptr; ///< the file of Session
  unsigned Uses = 0;   ///< uses of Session so far
};

} // namespace inmem::debuginfo

#endif
