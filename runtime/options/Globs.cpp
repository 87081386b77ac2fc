//===- Globs.cpp - Lists of globs on type names ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options/Options.h"

#include "inmem/detail/glob.h"

#include <string.h>

namespace inmem::rt {

bool Glob::matches(const char *Name) const {
  return detail::matchesGlob(Begin, End, Name, Name + strlen(Name));
}

bool takeGlob(const char *&Globs, Glob &Next) {
  for (int Depth = 0; *Globs;) {
    Next.Begin = Globs;
    for (; *Globs && (*Globs != ',' || Depth > 0); ++Globs)
      Depth += *Globs == '<' ? 1 : *Globs == '>' ? -1 : 0;
    Next.End = Globs;
    if (*Globs)
      ++Globs;
    if (Next.length() > 0)
      return true;
  }
  return false;
}

bool matchesAnyGlob(const char *Globs, const char *Name) {
  for (Glob Each; takeGlob(Globs, Each);)
    if (Each.matches(Name))
      return true;
  return false;
}

} // namespace inmem::rt
