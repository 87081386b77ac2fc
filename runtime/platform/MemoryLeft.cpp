//===- MemoryLeft.cpp - Memory that system and control groups leave -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/OwnPages.h"

#include "platform/Files.h"

#include <string.h>

namespace inmem::rt {

namespace {

/// As numberInFile(), of file \p Name in \p Folder.
uint64_t numberInFolder(const char *Folder, const char *Name, const char *Key,
                        uint64_t Otherwise) {
  char Path[1200];
  if (strlen(Folder) + strlen(Name) >= sizeof Path)
    return Otherwise;
  strcpy(Path, Folder);
  strcat(Path, Name);
  return numberInFile(Path, Key, Otherwise);
}

/// Memory left to the control group at \p Folder and its ancestors, up to the
/// first \p RootBytes of the path. Cached files count as free, because the
/// kernel drops them first.
uint64_t leftInGroups(char *Folder, size_t RootBytes, const char *Limit,
                      const char *Usage) {
  uint64_t Left = UINT64_MAX;
  for (;;) {
    uint64_t Most = numberInFolder(Folder, Limit, "", UINT64_MAX);
    if (Most != UINT64_MAX) {
      uint64_t Used = numberInFolder(Folder, Usage, "", 0);
      uint64_t Cached =
          numberInFolder(Folder, "/memory.stat", "\ninactive_file ", 0);
      Used -= Cached < Used ? Cached : Used;
      uint64_t Here = Most > Used ? Most - Used : 0;
      Left = Here < Left ? Here : Left;
    }
    char *Slash = strrchr(Folder + RootBytes, '/');
    if (!Slash)
      return Left;
    *Slash = 0;
  }
}

} // namespace

uint64_t memoryLeft() {
  uint64_t KiB =
      numberInFile("/proc/meminfo", "\nMemAvailable:", UINT64_MAX >> 10);
  uint64_t Left = KiB << 10;
  char Groups[4096];
  if (!readSmallFile("/proc/self/cgroup", Groups, sizeof Groups))
    return Left;
  for (char *Line = Groups, *Next; *Line; Line = Next) {
    char *End = strchrnul(Line, '\n');
    Next = *End ? End + 1 : End;
    *End = 0;
    // Version 2: "0::/path"; version 1: "number:controllers:/path".
    const bool Unified = strncmp(Line, "0::", 3) == 0;
    const char *Path = strchr(Line, '/');
    if (!Path || (!Unified && !strstr(Line, ":memory:")))
      continue;
    const char *Root = Unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    char Folder[1100];
    if (strlen(Root) + strlen(Path) >= sizeof Folder)
      continue;
    strcpy(Folder, Root);
    if (Path[1]) // else the root itself, without a trailing slash
      strcat(Folder, Path);
    uint64_t Here =
        leftInGroups(Folder, strlen(Root),
                     Unified ? "/memory.max" : "/memory.limit_in_bytes",
                     Unified ? "/memory.current" : "/memory.usage_in_bytes");
    Left = Here < Left ? Here : Left;
  }
  return Left;
}

} // namespace inmem::rt
