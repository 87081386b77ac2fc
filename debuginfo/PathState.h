//===- PathState.h - Values while code is followed --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_DEBUGINFO_PATHSTATE_H
#define INMEM_DEBUGINFO_PATHSTATE_H

#include "debuginfo/Instruction.h"

#include <array>
#include <elfutils/libdw.h>
#include <map>

namespace inmem::debuginfo {

struct Value {
  enum class Kind : uint8_t {
    Unknown,
    Block,    ///< Offset within the new block
    Within,   ///< in the block, at an unknown offset
    Frame,    ///< Offset from the canonical frame address
    Constant, ///< Offset is the address, or relative to another file's Symbol
    Object,   ///< Offset within an object of Type
    Pointer   ///< Offset from a pointer of Type
  };
  Kind What = Kind::Unknown;
  int64_t Offset = 0;
  Dwarf_Die Type = {};
  const char *Symbol = nullptr;
  /// Pointer: the function's parameter that holds its address, from 1; 0 if
  /// none does.
  unsigned Parameter = 0;
};

struct Path {
  uint64_t At;
  unsigned Step;
  std::array<Value, kRegisters> Registers;
  std::map<int64_t, Value> Slots; ///< frame slots by offset
  Value Tested = {};              ///< value that was last compared with 0
};

} // namespace inmem::debuginfo

#endif
