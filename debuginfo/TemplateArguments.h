//===- TemplateArguments.h - Template arguments and containers --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_DEBUGINFO_TEMPLATEARGUMENTS_H
#define INMEM_DEBUGINFO_TEMPLATEARGUMENTS_H

#include <string>
#include <string_view>
#include <vector>

namespace inmem::debuginfo {

// DefaultArguments.cpp: Template arguments that need no spelling.
//
// clang marks default template arguments in DWARF 5. gcc does not: for it,
// defaults of the C++ library are listed here.

struct TemplateArgument {
  std::string Text; ///< canonical
  bool Default;     ///< marked as a default in DWARF
  bool InPack;      ///< an element of a parameter pack, never a default
};

/// Drops default arguments from the end.
/// \param Name of the template
void dropDefaults(std::string_view Name, std::vector<TemplateArgument> &Args);

/// True for inline namespaces of C++ libraries, which DWARF 4 does not mark.
bool isInlineNamespace(std::string_view Name);

/// A built-in type as clang names it, which gcc calls `long unsigned int`.
std::string builtinName(std::string_view Name);

/// A name from text (a vtable's symbol, a declaration) in canonical spelling. A
/// name that cannot be parsed is returned unchanged.
std::string canonicalText(std::string_view Name);

// Containers.cpp: Allocations of containers, by name.

/// The template arguments of a canonical name, at its end.
std::vector<std::string> templateArguments(std::string_view Class);

/// The family of allocators, which every container uses.
inline constexpr std::string_view kAllocator = "allocator";

/// Types of the blocks that a class of the C++ library allocates for itself.
struct ContainerBlocks {
  /// The family of the container and its bases; empty for other classes.
  std::string_view Family;
  std::vector<std::string> Types; ///< canonical; empty if unknown
};

/// \param Class canonical name, such as `std::vector<int>`
ContainerBlocks blocksOfContainer(const std::string &Class);

} // namespace inmem::debuginfo

#endif
