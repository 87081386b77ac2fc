//===- NumberText.h - Numbers as the text form writes them ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to trace/.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TRACE_NUMBERTEXT_H
#define INMEM_TRACE_NUMBERTEXT_H

#include <charconv>
#include <cstdint>
#include <string>

namespace inmem::trace {

/// The shortest decimal digits that are read back as \p Value.
template <class T> std::string number(T Value) {
  char Text[64];
  const auto End = std::to_chars(Text, Text + sizeof Text, Value);
  return {Text, End.ptr};
}

/// Such as `0x1f`.
inline std::string hex(uint64_t Value) {
  char Text[16];
  const auto End = std::to_chars(Text, Text + sizeof Text, Value, 16);
  return "0x" + std::string(Text, End.ptr);
}

} // namespace inmem::trace

#endif // INMEM_TRACE_NUMBERTEXT_H
