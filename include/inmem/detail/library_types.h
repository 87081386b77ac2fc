// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// library_types.h - the element types that compiled functions of the C++
// library allocate, by function name. Part of scope.h, and of inmem's reports.
#ifndef INMEM_DETAIL_LIBRARY_TYPES_H
#define INMEM_DETAIL_LIBRARY_TYPES_H

#include <string> // includes std::string_view; scope.h includes few headers

namespace inmem::detail {

/// True if the functions of this std class allocate only characters. \p Space:
/// the inline namespace of the class, such as __cxx11.
constexpr bool allocatesCharacters(std::string_view Space,
                                   std::string_view Class) {
  // A basic_string outside __cxx11 is the old copy-on-write string, which
  // stores its reference count in the block.
  if (Class == "basic_filebuf")
    return Space.empty() || Space == "__1";
  if (Space != "__cxx11" && Space != "__1")
    return false;
  for (const std::string_view Known :
       {"basic_string", "basic_stringbuf", "basic_istringstream",
        "basic_ostringstream", "basic_stringstream"})
    if (Class == Known)
      return true;
  return false;
}

} // namespace inmem::detail

#endif
