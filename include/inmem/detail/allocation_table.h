// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// allocation_table.h - counts as lines of text. Part of scope.h.
#ifndef INMEM_DETAIL_ALLOCATION_TABLE_H
#define INMEM_DETAIL_ALLOCATION_TABLE_H

#include <stdint.h>
#include <string>

namespace inmem::detail {

inline std::string number(uint64_t N, const char *What) {
  return std::to_string(N) + " " + What + (N == 1 ? "" : "s");
}

/// As printf's "%8s".
inline std::string padded(std::string Text, std::size_t Width) {
  if (Text.size() < Width)
    Text.insert(0, Width - Text.size(), ' ');
  return Text;
}

/// Sorts rows in place: a shell sort with gaps of about 3^k, for a few thousand
/// rows at most.
template <class Rows, class Less> void sortRows(Rows &All, Less Before) {
  std::size_t Gap = 1;
  while (Gap < All.size() / 3)
    Gap = 3 * Gap + 1;
  for (; Gap > 0; Gap /= 3)
    for (std::size_t I = Gap; I < All.size(); ++I) {
      auto Row = static_cast<typename Rows::value_type &&>(All[I]);
      std::size_t To = I;
      for (; To >= Gap && Before(Row, All[To - Gap]); To -= Gap)
        All[To] = static_cast<typename Rows::value_type &&>(All[To - Gap]);
      All[To] = static_cast<typename Rows::value_type &&>(Row);
    }
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
    if (Shown++ == 0)
      Text += std::string("    blocks      bytes   live  ") + Title + "\n";
    Text += "  " + padded(std::to_string(Row.blocks), 8) + " " +
            padded(std::to_string(Row.bytes), 10) + " " +
            padded(std::to_string(Row.live), 6) + "  " + NameOf(Row) + "\n";
  }
  if (Left)
    Text += "  ... " + std::to_string(Left) + " more\n";
}

} // namespace inmem::detail

#endif
