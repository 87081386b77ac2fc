//===- LibraryNamespaces.cpp ----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "registry/LibraryNamespaces.h"

#include <string.h>

namespace inmem::rt {

namespace {

/// A folder's name within a path.
struct Part {
  const char *Start;
  size_t Length;

  bool is(const char *Name) const {
    return strlen(Name) == Length && memcmp(Start, Name, Length) == 0;
  }
  template <size_t N> bool isOneOf(const char *const (&Names)[N]) const {
    for (const char *Name : Names)
      if (is(Name))
        return true;
    return false;
  }
};

/// The next folder of \p Path, which is moved past it. Its length is 0 at the
/// end.
Part nextPart(const char *&Path) {
  while (*Path == '/')
    ++Path;
  const Part Out{Path, strcspn(Path, "/")};
  Path += Out.Length;
  return Out;
}

/// As isNameOfLibraries() of the plugin.
bool isForLibraries(const Part &Folder) {
  constexpr const char *kNames[] = {
      "third_party", "3rdparty",    "third-party",     "thirdparty",
      "vendor",      "external",    "extern",          "deps",
      "_deps",       "subprojects", "vcpkg_installed", "submodules"};
  return Folder.isOneOf(kNames);
}

bool isInstalled(const char *Path) {
  constexpr const char *kFolders[] = {"/usr/include/", "/usr/local/include/",
                                      "/opt/", "/nix/store/", "/gnu/store/"};
  for (const char *Folder : kFolders)
    if (strncmp(Path, Folder, strlen(Folder)) == 0)
      return true;
  return false;
}

bool isLetter(char C) {
  return (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z') || C == '_';
}
bool isInName(char C) { return isLetter(C) || (C >= '0' && C <= '9'); }

} // namespace

void LibraryNamespaces::add(const char *Name, size_t Length) {
  if (Length == 0 || Length > kLongest || Count == kMost)
    return;
  for (unsigned I = 0; I < Count; ++I)
    if (All[I].Length == Length && memcmp(All[I].Name, Name, Length) == 0)
      return;
  memcpy(All[Count].Name, Name, Length);
  All[Count++].Length = static_cast<unsigned char>(Length);
}

void LibraryNamespaces::addFolder(const char *Path) {
  // Names of parts that many projects have.
  constexpr const char *kCommon[] = {"src",  "source", "detail", "impl",
                                     "core", "bits",   "sys",    "lib",
                                     "libs", "util",   "app",    "common"};
  constexpr unsigned kNamed = 2; // path parts after include
  bool OfLibrary = isInstalled(Path);
  unsigned Left = 0;
  for (Part P = nextPart(Path); P.Length > 0; P = nextPart(Path)) {
    if (P.is("c++"))
      return;
    if (isForLibraries(P)) {
      OfLibrary = true;
      Left = kNamed;
    } else if (P.is("include") || P.is("single_include")) {
      Left = kNamed;
    } else if (OfLibrary && Left > 0) {
      --Left;
      size_t Length = 0;
      while (Length < P.Length && isInName(P.Start[Length]))
        ++Length;
      if (isLetter(*P.Start) && !P.isOneOf(kCommon))
        add(P.Start, Length);
    }
  }
}

void LibraryNamespaces::addStrings(const char *Text, size_t Bytes) {
  constexpr size_t kLongestPath = 512;
  char Path[kLongestPath];
  for (size_t At = 0; At < Bytes;) {
    size_t Length = 0;
    while (At + Length < Bytes && Text[At + Length] >= ' ' &&
           Text[At + Length] <= '~')
      ++Length;
    if (Length > 8 && Length < sizeof Path) {
      memcpy(Path, Text + At, Length);
      Path[Length] = 0;
      addFolder(Path);
    }
    At += Length + 1;
  }
}

bool LibraryNamespaces::contain(const char *Name) const {
  if (Count == 0 || strncmp(Name, "_ZN", 3) != 0)
    return false;
  Name += 3;
  Name += strspn(Name, "KVrRO"); // member function qualifiers
  size_t Length = 0;
  while (*Name >= '0' && *Name <= '9' && Length < 1000)
    Length = Length * 10 + static_cast<size_t>(*Name++ - '0');
  if (Length == 0 || Length > kLongest || strnlen(Name, Length) < Length)
    return false;
  for (unsigned I = 0; I < Count; ++I)
    if (All[I].Length == Length && memcmp(All[I].Name, Name, Length) == 0)
      return true;
  return false;
}

} // namespace inmem::rt
