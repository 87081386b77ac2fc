//===- UnitFunctions.h - Functions of a unit by address -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_DEBUGINFO_UNITFUNCTIONS_H
#define INMEM_DEBUGINFO_UNITFUNCTIONS_H

#include <elfutils/libdw.h>
#include <utility>
#include <vector>

namespace inmem::debuginfo {

/// The functions of one unit of debug information. Its entries are walked once,
/// so that each look-up takes the time of a binary search.
class UnitFunctions {
public:
  /// \param Unit a compilation unit. With split debug information, either the
  /// skeleton or the unit of the .dwo file. Its Dwarf must outlive this.
  explicit UnitFunctions(Dwarf_Die Unit);

  /// The unit that contains the functions: with split debug information that of
  /// the .dwo file.
  Dwarf_Die &unit() { return Unit; }
  /// True if that is another file's.
  bool isSplit() const { return IsSplit; }

  /// The function at \p Address, of the file, and the calls inlined into it
  /// there, outermost first. Empty if there is none.
  std::vector<Dwarf_Die> scopesAt(Dwarf_Addr Address) const;

  /// Starts and ends of the functions' code.
  std::vector<std::pair<Dwarf_Addr, Dwarf_Addr>> ranges() const;

private:
  struct Range {
    Dwarf_Addr Start, End;
    Dwarf_Die Function;
  };
  void add(Dwarf_Die *Of, unsigned Depth);

  Dwarf_Die Unit;
  bool IsSplit;
  std::vector<Range> Ranges; ///< by Start
};

} // namespace inmem::debuginfo

#endif
