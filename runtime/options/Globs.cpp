//===- Globs.cpp ----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options/Globs.h"

namespace inmem::rt {

// On a mismatch, backs up to the last '*' and lets it take one more character.
bool Glob::matches(const char *Name) const {
  const char *At = Begin, *Star = nullptr, *Retry = nullptr;
  while (*Name) {
    if (At < End && *At == '*') {
      Star = ++At;
      Retry = Name;
    } else if (At < End && (*At == '?' || *At == *Name)) {
      ++At;
      ++Name;
    } else if (Star) {
      At = Star;
      Name = ++Retry;
    } else {
      return false;
    }
  }
  while (At < End && *At == '*')
    ++At;
  return At == End;
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
