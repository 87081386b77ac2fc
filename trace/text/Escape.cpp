//===- Escape.cpp - Strings in dumps and messages -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/text/Text.h"

namespace inmem::trace {

namespace {

/// Text with C escapes for control characters and those in \p Also.
std::string escape(std::string_view Text, std::string_view Also) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string Out;
  for (const char C : Text) {
    const auto Byte = static_cast<unsigned char>(C);
    if (Also.find(C) != std::string_view::npos) {
      Out += '\\';
      Out += C;
    } else if (C == '\n') {
      Out += "\\n";
    } else if (C == '\t') {
      Out += "\\t";
    } else if (Byte < 0x20 || Byte == 0x7f) {
      Out += "\\x";
      Out += kHex[Byte >> 4];
      Out += kHex[Byte & 15];
    } else {
      Out += C;
    }
  }
  return Out;
}

} // namespace

std::string quoted(std::string_view Text) {
  return '"' + escape(Text, "\"\\") + '"';
}

std::string escaped(std::string_view Text) { return escape(Text, {}); }

} // namespace inmem::trace
