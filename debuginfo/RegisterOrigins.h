//===- RegisterOrigins.h - Variables that registers still have ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_DEBUGINFO_REGISTERORIGINS_H
#define INMEM_DEBUGINFO_REGISTERORIGINS_H

#include "debuginfo/Instruction.h"
#include "debuginfo/ProgramFile.h"
#include "debuginfo/Variables.h"

#include <map>
#include <optional>
#include <vector>

namespace inmem::debuginfo {

/// Follows the code of a function backwards. Compilers end a variable's
/// location at its last use, or at a call, though the register keeps the value.
/// Not thread-safe.
class RegisterOrigins {
public:
  RegisterOrigins(ProgramFile &File, Decoder &Decode, Dwarf_Die Function,
                  Variables &Places)
      : File(File), Decode(Decode), Function(Function), Places(Places) {}

  /// An address \p Offset bytes into an object of class \p Class.
  struct Object {
    Dwarf_Die Class;
    int64_t Offset;
  };
  /// The address in \p Register before the instruction at \p Address; none if
  /// paths to it differ.
  std::optional<Object> objectIn(uint8_t Register, uint64_t Address);

private:
  /// An instruction, and the addresses of its predecessors.
  struct Step {
    Instruction Is;
    std::vector<uint64_t> Before;
  };
  void read();
  bool isPadding(uint64_t Address) const;
  std::optional<Object> search(uint8_t Register, uint64_t Address,
                               unsigned Loads);
  std::optional<Object> variableIn(uint8_t Register, uint64_t Address) const;

  ProgramFile &File;
  Decoder &Decode;
  Dwarf_Die Function;
  Variables &Places;
  std::map<uint64_t, Step> Steps; ///< by address; filled by read()
};

} // namespace inmem::debuginfo

#endif
