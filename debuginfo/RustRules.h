//===- RustRules.h - Types that Rust's library allocates ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parameter T of the innermost generic function of alloc, std or hashbrown,
// as the plugin has it: Box<T>::new, RawVec<T>::grow_one.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_DEBUGINFO_RUSTRULES_H
#define INMEM_DEBUGINFO_RUSTRULES_H

#include "debuginfo/TypeNames.h"

#include <span>

namespace inmem::debuginfo {

/// True for a unit that rustc compiled.
bool isRustUnit(Dwarf_Die Unit);

/// True for the functions that Rust's library allocates by, whatever the type,
/// such as `__rdl_alloc`, by their linkage names. Those that are compiled with
/// the library have no debug information.
bool isRustAllocator(std::string_view Symbol);

struct RustType {
  std::optional<Dwarf_Die> Type;
  std::string Name; ///< as Rust writes it, without the global allocator
  /// All functions are the library's: their caller may have the type.
  bool OnlyLibrary = true;
};

/// \param Scopes a function of such a unit and the calls inlined into it,
/// outermost first
RustType rustType(TypeNames &Names, std::span<const Dwarf_Die> Scopes);

} // namespace inmem::debuginfo

#endif
