//===- TypeTable.h - The plugin's types by return address -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the table that `-fplugin-arg-inmem-types=table` leaves in a program:
// the types of the blocks that calls allocate (struct inmem_typed_call of
// inmem/type_table.h).
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_DEBUGINFO_TYPETABLE_H
#define INMEM_DEBUGINFO_TYPETABLE_H

#include "debuginfo/ProgramFile.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace inmem::debuginfo {

/// The table of one file; empty if it has none. The file outlives it.
class TypeTable {
public:
  struct Entry {
    std::string_view Type; ///< empty if unknown
    std::string_view File; ///< source file
    uint64_t Size = 0;     ///< size of Type; 0 if unknown
    uint32_t Line = 0;
    bool IsPassed = false;    ///< wrapper: its caller's call has the type
    bool MayAllocate = false; ///< allocates only if blocks have this Size
  };

  explicit TypeTable(ProgramFile &Of);

  bool empty() const { return Entries.empty(); }
  /// The call that returns to \p Address; null if the table has no such call,
  /// or different ones, whose code was folded.
  const Entry *find(uint64_t Address) const;

private:
  std::unordered_map<uint64_t, Entry> Entries;
};

} // namespace inmem::debuginfo

#endif
