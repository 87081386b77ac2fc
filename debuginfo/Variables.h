//===- Variables.h - Where variables are while code runs ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_DEBUGINFO_VARIABLES_H
#define INMEM_DEBUGINFO_VARIABLES_H

#include "debuginfo/AddressIndex.h"

#include <elfutils/libdw.h>
#include <map>
#include <optional>
#include <vector>

namespace inmem::debuginfo {

/// The location of a variable or parameter in a range of code.
struct VariablePlace {
  enum class Kind : uint8_t {
    Register, ///< the value is in Register
    Sum,      ///< the value is Register + Offset
    Memory,   ///< the value is in memory at Register + Offset
    Frame     ///< the value is at the canonical frame address + Offset
  };
  Dwarf_Die Variable;
  Dwarf_Die Function; ///< the function, or inlined call, that declares it
  /// The lexical block that declares it, if its location is the same
  /// throughout.
  std::optional<Dwarf_Die> Block;
  Dwarf_Addr Start, End;
  Kind How;
  uint8_t Register;
  int64_t Offset;

  bool covers(Dwarf_Addr Address) const;
};

/// The locations of a function's variables and of those of calls inlined into
/// it. Not thread-safe.
class Variables {
public:
  Variables() = default;
  explicit Variables(Dwarf_Die Function);

  /// The numbers of locations that may cover \p Address, ascending.
  const std::vector<uint32_t> &near(Dwarf_Addr Address) {
    return Index.near(Address);
  }
  const VariablePlace &operator[](size_t Number) const { return All[Number]; }

private:
  std::vector<VariablePlace> All;
  AddressIndex Index;
};

/// The variables of \p Unit with a fixed address, keyed by it.
std::map<Dwarf_Addr, Dwarf_Die> globalsOf(Dwarf_Die Unit);

/// Variables that \p Unit declares and another unit defines.
std::vector<Dwarf_Die> declaredGlobals(Dwarf_Die Unit);

/// Types of the pointers at \p Offset of an object of \p Type, including those
/// in members, bases and arrays. Members of a union yield several.
std::vector<Dwarf_Die> pointersAt(Dwarf_Die Type, uint64_t Offset);
/// As above; none if there are several.
std::optional<Dwarf_Die> pointerAt(Dwarf_Die Type, uint64_t Offset);

/// The offset of the array that ends \p Class; none if its last member is not
/// one.
std::optional<uint64_t> openEndOf(Dwarf_Die Class);

} // namespace inmem::debuginfo

#endif
