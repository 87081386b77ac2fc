//===- LibraryRules.h - Types that library functions allocate ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_DEBUGINFO_LIBRARYRULES_H
#define INMEM_DEBUGINFO_LIBRARYRULES_H

#include "debuginfo/TypeNames.h"

#include <span>

namespace inmem::debuginfo {

/// An allocating function of a library, and the type that its name gives.
struct LibraryType {
  std::optional<Dwarf_Die> Type;
  /// The type's canonical name if it is not that of Type: gcc gives functions
  /// of types with the same size one body, even before it inlines them.
  std::string Instead;
};

/// The type that the innermost function of a library allocates. Functions of
/// the program end the search. If an allocator's functions that are inlined
/// into each other disagree, the outermost is right. \param Scopes the function
/// and the calls inlined into it, outermost first
std::optional<LibraryType> libraryType(TypeNames &Names,
                                       std::span<const Dwarf_Die> Scopes);

/// True for functions of the C library that return their first argument.
bool returnsItsArgument(std::string_view Import);
/// True for functions of the C and C++ libraries that never return.
bool neverReturns(std::string_view Import);

/// True for functions of the C++ library.
bool isLibraryFunction(TypeNames &Names, Dwarf_Die Function);
/// As isLibraryFunction(). \param Name demangled
bool isLibraryName(std::string_view Name);
/// True for the path of an installed header, or of a file in a folder for code
/// of others.
bool isLibraryHeader(std::string_view Path);

/// The type that a function allocates, by its demangled name alone; empty if
/// the name does not contain it.
std::string typeOfSymbol(const std::string &Demangled);

// RustRules.cpp: Types that Rust's library allocates.
//
// The parameter T of the innermost generic function of alloc, std or hashbrown,
// as the plugin has it: Box<T>::new, RawVec<T>::grow_one.

/// True for a unit that rustc compiled.
bool isRustUnit(Dwarf_Die Unit);

/// True for the functions by which Rust's library allocates any type, such as
/// `__rdl_alloc`, by their linkage names. Those that are compiled with the
/// library have no debug information.
bool isRustAllocator(std::string_view Symbol);

struct RustType {
  std::optional<Dwarf_Die> Type;
  std::string Name; ///< Rust's spelling, without the global allocator
  /// All functions belong to the library: their caller may have the type.
  bool OnlyLibrary = true;
};

/// \param Scopes a function of such a unit and the calls inlined into it,
/// outermost first
RustType rustType(TypeNames &Names, std::span<const Dwarf_Die> Scopes);

} // namespace inmem::debuginfo

#endif
