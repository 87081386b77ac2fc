//===- LibraryNamespaces.h - Namespaces of header-only libraries ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Debug information names the folders of the headers that a file's code is
// from. Libraries name folders of headers after their namespaces: functions of
// nlohmann are the library's if there is code from /usr/include/nlohmann.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_LIBRARYNAMESPACES_H
#define INMEM_RUNTIME_LIBRARYNAMESPACES_H

#include "platform/Compiler.h"

#include <stddef.h>

namespace inmem::rt {

/// A set of namespaces with limited room; only the first ones added count.
class INMEM_HIDDEN LibraryNamespaces {
public:
  /// Adds the names that occur in a folder of a library's headers; no others
  /// are added. \param Path such as /usr/include/nlohmann/detail
  void addFolder(const char *Path);
  /// As addFolder(), for each NUL-terminated string in [Text, Text + Bytes).
  void addStrings(const char *Text, size_t Bytes);
  /// True if the outermost namespace of the mangled \p Name is in the set.
  bool contain(const char *Name) const;

private:
  void add(const char *Name, size_t Length);

  static constexpr unsigned kMost = 48, kLongest = 24;
  struct {
    char Name[kLongest];
    unsigned char Length;
  } All[kMost] = {};
  unsigned Count = 0;
};

} // namespace inmem::rt

#endif
