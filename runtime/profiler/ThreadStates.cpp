//===- ThreadStates.cpp - A thread's wait, according to the kernel --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profiler/SampleCounts.h"

#include "platform/Files.h"
#include "platform/Image.h"
#include "platform/Tasks.h"
#include "state/TracePath.h"

#include <string.h>

namespace inmem::rt {

namespace {

/// The next number of a line, decimal or 0x; moves \p At past it.
uint64_t nextNumber(const char *&At) {
  while (*At == ' ' || *At == '\t')
    ++At;
  uint64_t N = 0;
  const bool Hex = At[0] == '0' && At[1] == 'x';
  for (At += Hex ? 2 : 0;; ++At) {
    const unsigned Digit = *At >= '0' && *At <= '9' ? unsigned(*At - '0')
                           : Hex && *At >= 'a' && *At <= 'f'
                               ? unsigned(*At - 'a' + 10)
                               : 99;
    if (Digit > 15)
      return N;
    N = N * (Hex ? 16 : 10) + Digit;
  }
}

uint64_t hexNumber(const char *At) {
  uint64_t N = 0;
  for (; (*At >= '0' && *At <= '9') || (*At >= 'a' && *At <= 'f'); ++At)
    N = N << 4 | (*At <= '9' ? unsigned(*At - '0') : unsigned(*At - 'a' + 10));
  return N;
}

} // namespace

ThreadStateNow stateOf(uint32_t Tid) {
  ThreadStateNow S = {};
  char Text[256];
  if (!readTaskFile(Tid, "syscall", Text, sizeof Text))
    return S;
  S.Known = true;
  if (strncmp(Text, "running", 7) == 0) {
    S.Running = true;
    return S;
  }
  const char *At = Text;
  if (*At == '-') {
    S.Call = -1;
    At = strchrnul(At, ' ');
  } else {
    S.Call = static_cast<int32_t>(nextNumber(At));
    S.Argument = nextNumber(At);
    for (unsigned I = 1; I < 6; ++I)
      nextNumber(At);
  }
  S.Sp = nextNumber(At);
  S.Pc = nextNumber(At);
  return S;
}

bool mayTakeSignals(const ThreadStateNow &S) {
  return !isFutexCall(S.Call) && !isSleepCall(S.Call);
}

/// True if the signal is in the set \p Set of the thread's status file.
static bool hasSignal(uint32_t Tid, const char *Set, int Signal) {
  char Text[4096];
  if (!readTaskFile(Tid, "status", Text, sizeof Text))
    return false;
  const char *At = strstr(Text, Set);
  return At && (hexNumber(At + strlen(Set)) >> (Signal - 1) & 1) != 0;
}

bool blocksSignal(uint32_t Tid, int Signal) {
  return hasSignal(Tid, "\nSigBlk:\t", Signal);
}

bool hasPendingSignal(uint32_t Tid, int Signal) {
  return hasSignal(Tid, "\nSigPnd:\t", Signal);
}

const char *targetOf(const ThreadStateNow &S, char *Into, size_t Room) {
  PathBuilder Out(Into, Room);
  if (takesDescriptor(S.Call)) {
    char Path[48];
    PathBuilder(Path, sizeof Path).add("/proc/self/fd/").number(S.Argument);
    readLink(Path, Into, Room);
    return Into;
  }
  if (!isFutexCall(S.Call))
    return Into;
  Image File;
  uint64_t Offset = S.Argument;
  if (Image::around(Offset, File)) {
    const char *Slash = strrchr(File.name(), '/');
    Out.add(*File.name() ? (Slash ? Slash + 1 : File.name()) : "program");
    Out.add("+");
    Offset -= File.base();
  }
  Out.add("0x");
  unsigned Shift = 60;
  while (Shift > 0 && !(Offset >> Shift))
    Shift -= 4;
  for (;; Shift -= 4) {
    Out.add("0123456789abcdef"[Offset >> Shift & 15]);
    if (Shift == 0)
      return Into;
  }
}

} // namespace inmem::rt
