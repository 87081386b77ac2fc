//===- UnitScopes.h - Scopes and functions of a unit ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_DEBUGINFO_UNITSCOPES_H
#define INMEM_DEBUGINFO_UNITSCOPES_H

#include "debuginfo/AddressIndex.h"

#include <cstdint>
#include <elfutils/libdw.h>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace inmem::debuginfo {

/// Namespaces, classes and functions of one unit. libdw's entries have no link
/// to their parent. The Dwarf must outlive this object.
class UnitScopes {
public:
  explicit UnitScopes(Dwarf_Die Unit);

  /// The namespaces, classes and functions around \p Die, which is of this
  /// unit, outermost first.
  std::vector<Dwarf_Die> around(Dwarf_Die Die) const;

  /// True for a C++ unit in strict DWARF 2, which has no namespaces: the full
  /// names of its types are unknown.
  static bool lacksNamespaces(Dwarf_Die Unit);

  /// All classes, structures and unions outside of functions.
  std::vector<Dwarf_Die> classes() const;

private:
  struct Scope {
    const void *Entry;
    uint32_t Begin, End; ///< offsets from the start of the unit
    uint32_t Parent;     ///< index; kNone: the unit
  };
  static constexpr uint32_t kNone = ~uint32_t{0};
  void add(Dwarf_Die Of, uint32_t Parent, uint32_t End, unsigned Depth);
  Dwarf_Die entryOf(const Scope &S) const;
  uint32_t offsetOf(Dwarf_Die Entry) const;

  Dwarf_Die Unit;

  std::vector<Scope> Scopes; ///< by Begin
};

// UnitFunctions.cpp: Functions of a unit by address.

/// The functions of one unit of debug information. Its entries are walked once,
/// so that each look-up takes the time of a binary search.
class UnitFunctions {
public:
  /// \param Unit a compilation unit. With split debug information, either the
  /// skeleton or the unit of the .dwo file. The Dwarf must outlive this object.
  explicit UnitFunctions(Dwarf_Die Unit);

  /// The unit that contains the functions: with split debug information, the
  /// unit of the .dwo file.
  Dwarf_Die &unit() { return Unit; }
  /// True if that unit is in another file.
  bool isSplit() const { return IsSplit; }

  /// The function at \p Address in the file, and the calls inlined into it
  /// there, outermost first. Empty without a function.
  std::vector<Dwarf_Die> scopesAt(Dwarf_Addr Address);

  /// Starts and ends of the functions' code.
  std::vector<std::pair<Dwarf_Addr, Dwarf_Addr>> ranges() const;

private:
  struct Range {
    Dwarf_Addr Start, End;
    Dwarf_Die Function;
  };
  /// The children of an entry that may have code.
  struct Children {
    std::vector<Dwarf_Die> All;
    AddressIndex Index; ///< used only for many children
    bool HasIndex = false;
  };
  void add(Dwarf_Die *Of, unsigned Depth, bool InFunctions);
  void sort();
  const Range *rangeAt(Dwarf_Addr Address) const;
  std::span<const Dwarf_Die> childrenAt(Dwarf_Die Of, Dwarf_Addr Address);
  bool addInlined(Dwarf_Die Of, Dwarf_Addr Address, unsigned Depth,
                  std::vector<Dwarf_Die> &Out);

  Dwarf_Die Unit;
  bool IsSplit;
  bool HasInner = false;     ///< Ranges includes functions of local classes
  std::vector<Range> Ranges; ///< by Start
  std::unordered_map<const void *, Children> ChildrenOf; ///< by entry
  std::vector<Dwarf_Die> Near;                           ///< see childrenAt()
};

} // namespace inmem::debuginfo

#endif
