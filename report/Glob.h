//===- Glob.h - `*` and `?` -----------------------------------------------===//
//
// Patterns of --type and --site, as in INMEM_OPTIONS' include and exclude.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_GLOB_H
#define INMEM_REPORT_GLOB_H

#include <string_view>

namespace inmem::report {

/// Whether Pattern covers the whole of Text: `*` any characters, `?` one.
/// Time is at most |Pattern| * |Text|.
inline bool matchesGlob(std::string_view Pattern, std::string_view Text) {
  size_t P = 0, T = 0, Star = std::string_view::npos, Mark = 0;
  while (T < Text.size()) {
    if (P < Pattern.size() && Pattern[P] == '*') {
      Star = P++;
      Mark = T;
    } else if (P < Pattern.size() &&
               (Pattern[P] == '?' || Pattern[P] == Text[T])) {
      ++P;
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

} // namespace inmem::report

#endif
