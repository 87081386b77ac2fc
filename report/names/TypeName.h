//===- TypeName.h - C++ names for people ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Canonical spellings are exact and long. Here they become what a programmer
// would have written (`std::string`), and internals of containers become the
// container that they belong to. For display only: JSON keeps the spelling. Two
// other implementations serve where this library is absent:
// include/inmem/detail/names.h in programs under test, web/src/data/names.ts in
// the browser.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_TYPENAME_H
#define INMEM_REPORT_TYPENAME_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace inmem::report {

/// A demangled function name, or Name itself if it is not mangled.
std::string demangle(std::string_view Name);

/// The spelling without inline namespaces and default template arguments, with
/// the usual typedefs. Text that cannot be parsed is returned unchanged.
std::string simplifyName(std::string_view Name);

/// `make` for `make(int)`, as a part of Name: a parameter list is of little use
/// in a table.
std::string_view withoutParameters(std::string_view Name);

/// True for containers and streams of the C++ library, such as std::vector,
/// whose arguments for an allocator, a comparison or traits have defaults.
bool hasDefaultArguments(std::string_view Template);

/// True if \p Name begins with \p Known of namespace std, or with its namesake
/// in std::pmr.
bool isInStd(std::string_view Name, std::string_view Known);

/// A demangled function's name without parameters and return type; cheap, and
/// not simplified.
std::string bareFunction(std::string_view Demangled);

/// A demangled function without parameters and return type:
/// `ns::Cache<int>::put`.
std::string shortFunction(std::string_view Demangled);

/// The name without suffixes. Compilers split and clone functions: `f.cold`,
/// `f.constprop.0`, `f.llvm.1`; libraries give them versions: `f@@LIB_2.34`.
std::string_view withoutClone(std::string_view Linkage);

/// The class or namespace of such a function: `ns::Cache<int>`; empty without
/// one.
std::string scopeOf(std::string_view ShortFunction);

/// A type in terms of its container: `std::_Rb_tree_node<std::pair<const int,
/// Foo>>` becomes `std::map<int, Foo> node`. Empty if there is no better name.
std::string aliasOf(std::string_view TypeName);

/// A block's description from the functions that allocate it, innermost first,
/// demangled: `std::_Vector_base<Foo, std::allocator<Foo> >::_M_allocate` is
/// the place of a `std::vector<Foo> buffer`. Empty if none is known.
/// \param Element a vector's, by other evidence than the functions' names:
/// a compiler folds vectors' code into that of other vectors; empty: unknown
std::string aliasOfSite(const std::vector<std::string_view> &Functions,
                        std::string_view Element = {});

struct LibraryType {
  std::string_view Name;
  uint64_t Size;
};
/// The type of the block that a demangled \p Function of the C++ library in \p
/// File (its name without folders) allocates, if that is certain: a std::string
/// that grows inside the library allocates char.
std::optional<LibraryType> typeInLibrary(std::string_view File,
                                         std::string_view Function);

/// The type of the memory that a demangled \p Function of the C++ library's
/// pools and monotonic buffers requests from its resource, such as `chunk of
/// std::pmr::unsynchronized_pool_resource`; empty for other functions.
std::string_view chunkOfResource(std::string_view Function);

/// True if a path belongs to the system's headers and libraries rather than
/// to the user's program.
bool isSystemPath(std::string_view Path);
/// True if a path is known and belongs to the user's program.
inline bool isUserPath(std::string_view Path) {
  return !Path.empty() && !isSystemPath(Path);
}
/// A system path without `.` and `..`; empty for other paths.
std::string systemPath(std::string_view Path);

// Template.cpp: A name and its template arguments.

/// As they are spelled.
using Arguments = std::vector<std::string>;

/// Drops spaces at both ends.
std::string_view trim(std::string_view Text);
/// "A, B"
std::string join(const Arguments &Args);

/// `Name<Args>Rest`, split at the first template argument list.
struct TemplateName {
  std::string Name;
  Arguments Args;
  std::string Rest;
};

/// Splits a simplified spelling.
std::optional<TemplateName> splitTemplate(std::string_view Text);

// Demangler.cpp: Names that libiberty does not support yet.
//
// Clang's manglings of constrained templates, lambdas and modules, by LLVM's
// demangler.

/// Demangles \p Mangled as C++ does. None if it is not a name, or might become
/// longer than \p Most: some small names expand to gigabytes of text.
std::optional<std::string> demangleNewer(const std::string &Mangled,
                                         size_t Most);

} // namespace inmem::report

#endif
