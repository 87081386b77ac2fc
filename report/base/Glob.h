//===- Glob.h - `*` and `?` -----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Patterns of --type, --site and budgets, as in INMEM_OPTIONS' include and
// exclude; here a backslash makes the next character literal.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_BASE_GLOB_H
#define INMEM_REPORT_BASE_GLOB_H

#include <string>
#include <string_view>

namespace inmem::report {

/// True if Pattern covers the whole of Text: `*` any characters, `?` one,
/// `\` the next as it is.
/// Time is at most |Pattern| * |Text|.
inline bool matchesGlob(std::string_view Pattern, std::string_view Text) {
  size_t P = 0, T = 0, Star = std::string_view::npos, Mark = 0;
  while (T < Text.size()) {
    const bool Escaped = P + 1 < Pattern.size() && Pattern[P] == '\\';
    const size_t Next = P + Escaped; // the character that has to match
    if (P < Pattern.size() && Pattern[P] == '*') {
      Star = P++;
      Mark = T;
    } else if (Next < Pattern.size() && (Pattern[Next] == Text[T] ||
                                         (Pattern[Next] == '?' && !Escaped))) {
      P = Next + 1;
      ++T;
    } else if (Star != std::string_view::npos) {
      P = Star + 1;
      T = ++Mark;
    } else {
      return false;
    }
  }
  while (P < Pattern.size() && Pattern[P] == '*')
    ++P;
  return P == Pattern.size();
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
