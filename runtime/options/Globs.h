//===- Globs.h - Lists of globs on type names -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_GLOBS_H
#define INMEM_RUNTIME_GLOBS_H

#include <stddef.h>

namespace inmem::rt {

/// A part of a list.
struct Glob {
  const char *Begin = nullptr, *End = nullptr;

  size_t length() const { return static_cast<size_t>(End - Begin); }
  /// '*' is any text, '?' one character.
  bool matches(const char *Name) const;
};

/// The next of the comma-separated \p Globs that is not empty, and moves
/// \p Globs past it; false at the end. A comma inside <...> belongs to a name.
bool takeGlob(const char *&Globs, Glob &Next);

/// True if \p Name matches one of the comma-separated globs.
bool matchesAnyGlob(const char *Globs, const char *Name);

} // namespace inmem::rt

#endif
