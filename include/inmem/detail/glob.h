// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// glob.h - matches type names with '*' and '?'. Does not use the C++ library,
// because the runtime includes it too.
#ifndef INMEM_DETAIL_GLOB_H
#define INMEM_DETAIL_GLOB_H

namespace inmem::detail {

/// True if the pattern \p Glob matches all of \p Text: '*' matches any text,
/// '?' one character. With \p Escapes, a backslash makes the next character
/// literal. Constant space, and at most |Glob| * |Text| steps.
template <bool Escapes = false>
constexpr bool matchesGlob(const char *Glob, const char *GlobEnd,
                           const char *Text, const char *TextEnd) {
  const char *AfterStar = nullptr, *Retry = nullptr;
  while (Text != TextEnd) {
    const bool Literal = Escapes && GlobEnd - Glob > 1 && *Glob == '\\';
    const char *Next = Glob + Literal;
    if (Glob != GlobEnd && *Glob == '*') {
      AfterStar = ++Glob;
      Retry = Text;
    } else if (Glob != GlobEnd &&
               (*Next == *Text || (*Next == '?' && !Literal))) {
      Glob = Next + 1;
      ++Text;
    } else if (AfterStar) { // the last '*' takes one more character
      Glob = AfterStar;
      Text = ++Retry;
    } else {
      return false;
    }
  }
  while (Glob != GlobEnd && *Glob == '*')
    ++Glob;
  return Glob == GlobEnd;
}

/// As above, for strings and string_views.
template <bool Escapes = false, class Pattern, class Name>
constexpr bool matchesGlob(const Pattern &Glob, const Name &Text) {
  return matchesGlob<Escapes>(Glob.data(), Glob.data() + Glob.size(),
                              Text.data(), Text.data() + Text.size());
}

} // namespace inmem::detail

#endif
