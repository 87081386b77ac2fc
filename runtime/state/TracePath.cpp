//===- TracePath.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "state/TracePath.h"

#include "platform/Clocks.h"
#include "platform/Files.h"
#include "platform/Process.h"

#include "trace/format/Format.h"

#include <string.h>

namespace inmem::rt {

using namespace trace;

static const char *baseName(const char *Path) {
  const char *Slash = strrchr(Path, '/');
  return Slash ? Slash + 1 : Path;
}

void expandPattern(const char *Pattern, const char *Folder, PathBuilder &Out) {
  if (Pattern[0] != '/' && Folder[0] == '/')
    Out.add(Folder).add('/');
  for (const char *P = Pattern; *P; ++P) {
    if (*P != '%' || !P[1]) {
      Out.add(*P);
      continue;
    }
    switch (*++P) {
    case 'p':
      Out.number(processId());
      break;
    case 'e': {
      char Exe[1024];
      executablePath(Exe, sizeof Exe);
      Out.add(baseName(Exe));
      break;
    }
    case 'h': {
      char Host[65];
      hostName(Host, sizeof Host);
      Out.add(Host);
      break;
    }
    case 't':
      Out.number(realtimeNs() / 1000000000u);
      break;
    case '%':
      Out.add('%');
      break;
    default:
      Out.add('%').add(*P);
    }
  }
  const size_t Length = strlen(Pattern);
  if (Length > 0 &&
      Pattern[Length - 1] == '/') // a folder: use the default name
    Out.add("inmem.").number(processId()).add(".inmem");
}

bool mayReplace(const char *Path, uint64_t Device, uint64_t Inode) {
  int Fd = openOwnFile(Path, true);
  if (Fd < 0)
    return false;
  FileHeader H;
  uint64_t D, I;
  bool Replace = false;
  const long N = readAt(Fd, &H, sizeof H, 0);
  if (isHeldByOther(Fd) ||
      (fileIdentity(Fd, D, I) && D == Device && I == Inode)) {
    // Whatever it holds.
  } else if (N == static_cast<long>(sizeof H) &&
             memcmp(H.Magic, kMagic, sizeof kMagic) == 0) {
    if (H.Pid == processId() && H.State == RunState::Running) {
      H.State = RunState::Execed;
      H.EndUnixNs = realtimeNs();
      writeAt(Fd, &H.EndUnixNs, sizeof H.EndUnixNs,
              offsetof(FileHeader, EndUnixNs));
      writeAt(Fd, &H.State, sizeof H.State, offsetof(FileHeader, State));
    }
    Replace =
        H.Pid != processId() && (H.State != RunState::Running ||
                                 !processExists(static_cast<uint32_t>(H.Pid)));
  } else if (N == 0)
    Replace = true; // an empty file, as mktemp leaves
  closeFile(Fd);
  return Replace;
}

} // namespace inmem::rt
