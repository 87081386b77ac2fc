//===- Markup.h - Text inside of XML and HTML -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_MARKUP_H
#define INMEM_REPORT_MARKUP_H

#include "Table.h"

namespace inmem::report {

/// Text as content or as an attribute's value in double quotes; what XML 1.0
/// cannot hold becomes `?`. Line breaks are kept.
inline std::string escapeMarkup(std::string_view Text) {
  std::string Out;
  for (size_t At = 0; At <= Text.size();) {
    const size_t End = std::min(Text.find('\n', At), Text.size());
    for (const char C : printable(Style{}, Text.substr(At, End - At)))
      switch (C) {
      case '&':
        Out += "&amp;";
        break;
      case '<':
        Out += "&lt;";
        break;
      case '>':
        Out += "&gt;";
        break;
      case '"':
        Out += "&quot;";
        break;
      default:
        Out += C;
      }
    if (End < Text.size())
      Out += '\n';
    At = End + 1;
  }
  return Out;
}

} // namespace inmem::report

#endif
