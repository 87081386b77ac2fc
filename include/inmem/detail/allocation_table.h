// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// allocation_table.h - counts as lines of text. Part of scope.h.
#ifndef INMEM_DETAIL_ALLOCATION_TABLE_H
#define INMEM_DETAIL_ALLOCATION_TABLE_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

namespace inmem::detail {

inline std::string number(std::uint64_t N, const char *What) {
  return std::to_string(N) + " " + What + (N == 1 ? "" : "s");
}

/// Appends the \p Most largest rows, with a head line, to \p Text.
template <class Rows, class Name>
void append(std::string &Text, const char *Title, const Rows &All,
            std::size_t Most, Name NameOf) {
  std::size_t Shown = 0, Left = 0;
  for (const auto &Row : All) {
    if (Row.blocks == 0)
      continue;
    if (Shown == Most) {
      ++Left;
      continue;
    }
    char Line[64];
    if (Shown++ == 0) {
      std::snprintf(Line, sizeof Line, "  %8s %10s %6s  ", "blocks", "bytes",
                    "live");
      Text += std::string(Line) + Title + "\n";
    }
    std::snprintf(Line, sizeof Line, "  %8llu %10llu %6lld  ",
                  static_cast<unsigned long long>(Row.blocks),
                  static_cast<unsigned long long>(Row.bytes),
                  static_cast<long long>(Row.live));
    Text += Line + NameOf(Row) + "\n";
  }
  if (Left)
    Text += "  ... " + std::to_string(Left) + " more\n";
}

} // namespace inmem::detail

#endif
