//===- DefaultArguments.h - Template arguments that need no spelling ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clang marks default template arguments in DWARF 5. gcc does not: for it,
// defaults of the C++ library are listed here.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_DEBUGINFO_DEFAULTARGUMENTS_H
#define INMEM_DEBUGINFO_DEFAULTARGUMENTS_H

#include <string>
#include <string_view>
#include <vector>

namespace inmem::debuginfo {

struct TemplateArgument {
  std::string Text; ///< canonical
  bool Default;     ///< marked as one
  bool InPack;      ///< an element of a parameter pack, never a default
};

/// Drops default arguments from the end. \param Name of the template
void dropDefaults(std::string_view Name, std::vector<TemplateArgument> &Args);

/// True for inline namespaces of C++ libraries, which DWARF 4 does not mark.
bool isInlineNamespace(std::string_view Name);

/// A built-in type as clang names it, which gcc calls `long unsigned int`.
std::string builtinName(std::string_view Name);

/// A name as text (of a vtable's symbol, of a declaration) in canonical
/// spelling. A name that cannot be parsed is returned unchanged.
std::string canonicalText(std::string_view Name);

} // namespace inmem::debuginfo

#endif
