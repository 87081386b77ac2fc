//===- Glob.h - `*` and `?` -----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Patterns of --type, --site and budgets, as in INMEM_OPTIONS' include and
// exclude; here a backslash makes the next character literal.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_BASE_GLOB_H
#define INMEM_REPORT_BASE_GLOB_H

#include "inmem/detail/glob.h"

#include <string>
#include <string_view>

namespace inmem::report {

/// True if Pattern covers the whole of Text: `*` any characters, `?` one,
/// `\` the next as it is.
inline bool matchesGlob(std::string_view Pattern, std::string_view Text) {
  return detail::matchesGlob</*Escapes=*/true>(Pattern, Text);
}

/// A pattern that covers Text alone.
inline std::string globOf(std::string_view Text) {
  std::string Out;
  for (const char C : Text) {
    if (C == '*' || C == '?' || C == '\\')
      Out += '\\';
    Out += C;
  }
  return Out;
}

} // namespace inmem::report

#endif
