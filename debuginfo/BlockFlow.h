//===- BlockFlow.h - Where code puts a new block's address ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows the pointer that a call returned through registers and the stack, on
// both sides of branches, for a bounded number of instructions.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_DEBUGINFO_BLOCKFLOW_H
#define INMEM_DEBUGINFO_BLOCKFLOW_H

#include "debuginfo/FramePlace.h"
#include "debuginfo/Instruction.h"
#include "debuginfo/ProgramFile.h"
#include "debuginfo/RegisterOrigins.h"
#include "debuginfo/Variables.h"

#include <array>
#include <set>

namespace inmem::debuginfo {

/// Something that code does with the address of a block, or one within it.
struct BlockFact {
  enum class Kind : uint8_t {
    Variable, ///< a variable holds it
    Member,   ///< it is stored into an object or a global variable
    Vtable,   ///< a constant is stored at the block's start
    Argument, ///< a function is called with it
    Kept,     ///< it is stored outside both the frame and the block
    Stored,   ///< it is stored where parameter number Argument points
    Returned  ///< the function returns it
  };
  Kind What{};
  unsigned Step = 0;  ///< instructions since the block exists
  int64_t Offset = 0; ///< the address's offset within the block
  /// Variable: the code computes the offset, so that Offset does not apply.
  bool Within = false;
  const VariablePlace *Variable = nullptr;
  /// Member: the type of the member or variable; Stored: of the pointer.
  std::optional<Dwarf_Die> Type;
  /// Member: facts with the same number refer to the same bytes, which several
  /// members of unions share; 0: no other member shares them.
  uint64_t Alternatives = 0;
  uint64_t Address = 0; ///< Vtable: the constant; Argument: the callee
  /// The name of another file's function (Argument) or object (Vtable).
  const char *Import = nullptr;
  unsigned Argument = 0; ///< Argument, Stored: its number, from 0
  uint64_t Second = 0;   ///< Argument: the call's second argument, if constant
  const char *SecondImport = nullptr; ///< like Import, for Second
};

/// For functions that return one of their arguments, or an address relative to
/// it, the distance; none for others. The key is the entry and the argument's
/// number.
using ReturnedArguments =
    std::map<std::pair<uint64_t, unsigned>, std::optional<int64_t>>;

/// The code of a function that received a block.
struct ReceivingCode {
  ProgramFile &File;
  Decoder &Decode;
  Dwarf_Die *Function; ///< null without debug information
  Variables &Places;
  const std::map<Dwarf_Addr, Dwarf_Die> &Globals;
  ReturnedArguments &Returned; ///< a cache
  RegisterOrigins *Origins;    ///< for Function; null if there is none
};

/// The facts, in the order of Step. \param Return the return address of the
/// call \param Where the location in which the call stores the block's address;
/// null if it returns the address \param Offset of that address within the
/// block
std::vector<BlockFact> followBlock(const ReceivingCode &Code, uint64_t Return,
                                   const FramePlace *Where, int64_t Offset);

} // namespace inmem::debuginfo

#endif
