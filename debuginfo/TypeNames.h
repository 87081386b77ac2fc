//===- TypeNames.h - Canonical spelling of types in debug information -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types are spelled as plugin/ast/TypeNamer does, so that a program built by
// gcc has the same rows as an instrumented one: typedefs are resolved, inline
// namespaces and default template arguments left out.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_DEBUGINFO_TYPENAMES_H
#define INMEM_DEBUGINFO_TYPENAMES_H

#include "debuginfo/UnitLines.h"
#include "debuginfo/UnitScopes.h"

#include <elfutils/libdw.h>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace inmem::debuginfo {

/// The entry that an attribute refers to; none if it has no such attribute.
std::optional<Dwarf_Die> referenceOf(Dwarf_Die Die, unsigned Attribute);
/// The entry that the type attribute refers to, also of the declaration that \p
/// Die completes.
std::optional<Dwarf_Die> typeOf(Dwarf_Die Die);
/// The number of an attribute; none if it has no such attribute.
std::optional<uint64_t> numberOf(Dwarf_Die Die, unsigned Attribute);
/// The unqualified name; empty if it has none.
std::string_view ownName(Dwarf_Die Die);
std::vector<Dwarf_Die> childrenOf(Dwarf_Die Die);
/// The type behind typedefs, const and volatile. None: void.
std::optional<Dwarf_Die> stripped(std::optional<Dwarf_Die> Type);
bool isClassType(Dwarf_Die Type);
/// The type that \p Type points to or refers to, not stripped; outer none if
/// it is not a pointer, inner none for void.
std::optional<std::optional<Dwarf_Die>> pointee(std::optional<Dwarf_Die> Type,
                                                bool References = false);
/// In bytes; 0: unknown.
uint64_t sizeOf(std::optional<Dwarf_Die> Type);

/// The declaration, in its class, that a function's or a call's entry leads to:
/// its origin, then the declaration that this completes.
Dwarf_Die declarationOf(Dwarf_Die Function);

/// Spells the types of one file. Not thread-safe.
class TypeNames {
public:
  /// \param Lines of the file; outlive this
  explicit TypeNames(LineReader &Lines) : Lines(Lines) {}

  /// The canonical spelling; "void" for none.
  std::string name(std::optional<Dwarf_Die> Type);
  /// A class template's name without arguments, qualified: `std::vector`.
  std::string templateName(Dwarf_Die Class);
  /// A function, qualified and without parameters, as demanglers print it:
  /// `(anonymous namespace)::Pool<int>::get`.
  const std::string &functionName(Dwarf_Die Function);
  /// The class that \p Declaration is a direct member of; nullopt for other
  /// declarations.
  std::optional<Dwarf_Die> classAround(Dwarf_Die Declaration);
  /// The type argument at \p Index of a class or function template.
  std::optional<std::optional<Dwarf_Die>> typeArgument(Dwarf_Die Template,
                                                       size_t Index);
  /// The source file that an entry is declared in; empty: unknown.
  const std::string &declaredIn(Dwarf_Die Entry);
  /// Valid until trim().
  const UnitScopes &scopesOf(Dwarf_Die Die);
  /// Keeps the scopes of \p Most units.
  void trim(size_t Most) { Units.trim(Most); }

private:
  std::string declarator(std::optional<Dwarf_Die> Type, std::string Inner);
  std::string pointerTo(Dwarf_Die Pointer, std::string_view Sign,
                        std::string_view Quals, const std::string &Inner);
  std::string arrayOf(Dwarf_Die Array, std::string_view Quals,
                      const std::string &Inner);
  std::string functionType(Dwarf_Die Function, const std::string &Inner);
  std::string parameterTypes(Dwarf_Die Function);
  std::string tagName(Dwarf_Die Tag);
  std::string spellFunction(Dwarf_Die Declared);
  std::string scopeName(Dwarf_Die Die);
  std::string arguments(Dwarf_Die Template, const std::string &Name);
  std::string valueArgument(Dwarf_Die Parameter);
  std::string location(Dwarf_Die Die, bool WithColumn);

  /// Keyed by the entry's address. Elements are not moved.
  std::unordered_map<const void *, std::string> Tags, Functions;
  Recent<const void *, UnitScopes> Units; ///< by unit
  LineReader &Lines;
  unsigned Depth = 0;
};

} // namespace inmem::debuginfo

#endif
