//===- UnitScopes.h - Scopes of a unit's entries --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_DEBUGINFO_UNITSCOPES_H
#define INMEM_DEBUGINFO_UNITSCOPES_H

#include <elfutils/libdw.h>
#include <vector>

namespace inmem::debuginfo {

/// Namespaces, classes and functions of one unit. libdw's entries have no link
/// to the one that contains them. Its Dwarf must outlive this.
class UnitScopes {
public:
  explicit UnitScopes(Dwarf_Die Unit);

  /// The namespaces, classes and functions around \p Die, which is of this
  /// unit, outermost first.
  std::vector<Dwarf_Die> around(Dwarf_Die Die) const;

  /// True for a unit of C++ in strict DWARF 2, which has no namespaces: full
  /// names of its types are not known.
  static bool lacksNamespaces(Dwarf_Die Unit);

  /// All classes, structures and unions outside of functions.
  std::vector<Dwarf_Die> classes() const;

private:
  struct Scope {
    Dwarf_Off Begin, End;
    Dwarf_Die Die;
    size_t Parent; ///< index; kNone: the unit
  };
  static constexpr size_t kNone = ~size_t{0};
  void add(Dwarf_Die Of, size_t Parent, Dwarf_Off End, unsigned Depth);

  std::vector<Scope> Scopes; ///< by Begin
};

} // namespace inmem::debuginfo

#endif
