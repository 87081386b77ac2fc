//===- UnmatchedGlobs.cpp - include= and exclude= that match no type ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process/End.h"

#include "options/EditDistance.h"
#include "options/Options.h"
#include "platform/Message.h"
#include "registry/Modules.h"
#include "registry/SiteRegistry.h"
#include "state/Runtime.h"

#include <string.h>

namespace inmem::rt {

namespace {

/// Fewer letters occur in almost any name.
constexpr size_t kTelling = 3;

char lowered(char C) { return C >= 'A' && C <= 'Z' ? C - 'A' + 'a' : C; }

/// True if \p Name has the letters of \p G, case and wildcards aside.
bool contains(const char *Name, const Glob &G) {
  for (; *Name; ++Name) {
    const char *In = Name;
    size_t Letters = 0;
    for (const char *At = G.Begin; At < G.End; ++At) {
      if (*At == '*' || *At == '?')
        continue;
      if (lowered(*At) != lowered(*In))
        break;
      ++Letters;
      ++In;
      bool Done = true;
      for (const char *Rest = At + 1; Rest < G.End; ++Rest)
        Done &= *Rest == '*' || *Rest == '?';
      if (Done)
        return Letters >= kTelling;
    }
  }
  return false;
}

/// A name without its scope and its template arguments.
Glob bareName(Glob Name) {
  for (const char *At = Name.Begin; At < Name.End; ++At) {
    if (*At == '<') {
      Name.End = At;
      break;
    }
    if (*At == ':')
      Name.Begin = At + 1;
  }
  return Name;
}

/// The type that a glob most likely meant: one that contains its letters, or
/// else the one with the most similar name, scope and arguments removed.
class Meant {
public:
  explicit Meant(const Glob &G) : Whole(G), Typed(bareName(G)) {}

  void consider(const char *Name) {
    if (contains(Name, Whole)) {
      Best = Name;
      Least = 0;
    }
    const Glob Bare = bareName({Name, Name + strlen(Name)});
    const unsigned Far =
        editDistance(Typed.Begin, Typed.length(), Bare.Begin, Bare.length());
    if (Far < Least && Far < Bare.length()) {
      Best = Name;
      Least = Far;
    }
  }
  const char *best() const { return Best; }

private:
  Glob Whole, Typed; ///< Typed: without scope and arguments
  const char *Best = nullptr;
  unsigned Least = mostTypos(Typed.length()) + 1;
};

/// True if \p G matches a type of the loaded code.
bool matchesSome(const Glob &G, Meant &Like) {
  for (const RegisteredModule *M = RegisteredModules; M; M = M->Next) {
    if (!M->Descriptor)
      continue;
    for (const struct inmem_type *T = M->Descriptor->types_begin;
         T != M->Descriptor->types_end; ++T)
      if (const char *Name = textAt(T->name)) {
        if (G.matches(Name))
          return true;
        Like.consider(Name);
      }
  }
  return false;
}

void reportUnmatched(const char *Option, const char *Globs) {
  for (Glob Each; takeGlob(Globs, Each);) {
    Meant Like(Each);
    if (matchesSome(Each, Like))
      continue;
    constexpr size_t kMost = 100;
    char Shown[kMost + 1];
    size_t Length = 0;
    for (const char *At = Each.Begin; At < Each.End && Length < kMost; ++At)
      Shown[Length++] = *At;
    Shown[Length] = 0;
    Message Line;
    Line.text(Option).text("'").text(Shown).text(
        "' matches no type that this program allocates");
    if (Like.best())
      Line.text("; did you mean '").text(Like.best()).text("'?");
    Line.emit();
  }
}

} // namespace

void reportUnmatchedGlobs() {
  const Options &O = Process.Config;
  if (!O.Include.Value[0] && !O.Exclude.Value[0])
    return;
  Locked L(Process.Mutex);
  reportUnmatched("INMEM_OPTIONS: include: ", O.Include.Value);
  reportUnmatched("INMEM_OPTIONS: exclude: ", O.Exclude.Value);
}

} // namespace inmem::rt
