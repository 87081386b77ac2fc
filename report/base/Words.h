//===- Words.h - Names that users write: globs, misspellings ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_BASE_WORDS_H
#define INMEM_REPORT_BASE_WORDS_H

#include "inmem/detail/glob.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace inmem::report {

// Patterns of --type, --site and budgets, as in INMEM_OPTIONS' include and
// exclude; here a backslash makes the next character literal.

/// True if Pattern covers the whole of Text: `*` any characters, `?` one,
/// `\` the next as it is.
inline bool matchesGlob(std::string_view Pattern, std::string_view Text) {
  return detail::matchesGlob</*Escapes=*/true>(Pattern, Text);
}

/// A pattern that matches only Text.
inline std::string globOf(std::string_view Text) {
  std::string Out;
  for (const char C : Text) {
    if (C == '*' || C == '?' || C == '\\')
      Out += '\\';
    Out += C;
  }
  return Out;
}

// Suggest.cpp: Corrections of mistyped words.

/// The number of letters to add, drop, replace, or exchange with the next one,
/// to turn A into B.
size_t editDistance(std::string_view A, std::string_view B);

/// `; did you mean 'report'?`, or nothing if no word is close to Typed: one
/// letter in three may differ.
std::string didYouMean(std::string_view Typed,
                       std::span<const std::string> Words);

/// `a, b or c`.
std::string listed(std::span<const std::string> Words);

} // namespace inmem::report

#endif
