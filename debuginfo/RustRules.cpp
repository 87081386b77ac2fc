//===- RustRules.cpp - Types that Rust's library allocates ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "debuginfo/LibraryRules.h"

#include <algorithm>
#include <dwarf.h>

namespace inmem::debuginfo {

bool isRustUnit(Dwarf_Die Unit) {
  return numberOf(Unit, DW_AT_language) == DW_LANG_Rust;
}

bool isRustAllocator(std::string_view Symbol) {
  for (const std::string_view Name :
       {"__rust_alloc", "__rust_realloc", "__rdl_alloc", "__rdl_realloc",
        "RawVecInner", "RawTableInner", "finish_grow"})
    if (Symbol.find(Name) != Symbol.npos)
      return true;
  return false;
}

namespace {

/// The parameter T of a generic function, whether instantiated or inlined.
std::optional<Dwarf_Die> elementOf(Dwarf_Die Function) {
  const auto Origin = referenceOf(Function, DW_AT_abstract_origin);
  for (const Dwarf_Die &Of :
       {Function, Origin.value_or(Function), declarationOf(Function)})
    for (Dwarf_Die Child : childrenOf(Of))
      if (dwarf_tag(&Child) == DW_TAG_template_type_parameter &&
          ownName(Child) == "T")
        return referenceOf(Child, DW_AT_type);
  return std::nullopt;
}

std::string nameOf(TypeNames &Names, Dwarf_Die Type) {
  std::string Out(ownName(Type));
  const std::vector<Dwarf_Die> Around = Names.scopesOf(Type).around(Type);
  for (size_t I = Around.size(); I-- > 0;)
    if (Dwarf_Die Scope = Around[I]; dwarf_tag(&Scope) == DW_TAG_namespace)
      Out.insert(0, std::string(ownName(Scope)) + "::");
  return Out;
}

} // namespace

RustType rustType(TypeNames &Names, std::span<const Dwarf_Die> Scopes) {
  RustType Out;
  for (size_t I = Scopes.size(); I-- > 0;) {
    Dwarf_Die Declared = declarationOf(Scopes[I]);
    const std::string File = Names.declaredIn(Declared);
    // Paths as rustc's packages have them, or where rustup installs the
    // sources.
    Out.OnlyLibrary = File.find("/rustc/") != File.npos ||
                      File.find("/rust/deps/") != File.npos ||
                      File.find("/lib/rustlib/src/rust/") != File.npos;
    // A parameter of the program's function proves nothing, nor does one of an
    // iterator or an Option.
    if (!Out.OnlyLibrary)
      return Out;
    if (File.find("/core/src/") != File.npos)
      continue;
    if (const auto Element = elementOf(Scopes[I])) {
      Out.Type = Element;
      Out.Name = nameOf(Names, *Element);
      return Out;
    }
  }
  return Out;
}

} // namespace inmem::debuginfo
