//===- Process.cpp --------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/Process.h"

#include "platform/Errors.h"
#include "platform/Files.h"
#include "platform/Mappings.h"

#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace inmem::rt {

constinit Relaxed<bool> MayBeSandboxed = {}, HasVforked = {};

/// Used if a sandbox refuses getpid. 0: unknown.
INMEM_COLD static uint32_t processIdInProc() {
  char Link[16] = "";
  readLink("/proc/self", Link, sizeof Link);
  uint32_t Pid = 0;
  for (const char *C = Link; *C >= '0' && *C <= '9'; ++C)
    Pid = Pid * 10 + static_cast<uint32_t>(*C - '0');
  return Pid;
}

uint32_t processId() {
  const SavedErrno Kept;
  const long Pid = syscall(SYS_getpid);
  return Pid > 0 ? static_cast<uint32_t>(Pid) : processIdInProc();
}
uint32_t parentProcessId() { return static_cast<uint32_t>(getppid()); }

bool processExists(uint32_t Pid) {
  return syscall(SYS_kill, Pid, 0) == 0 || errno != ESRCH;
}

void exitNow(int Status) {
  for (;;)
    syscall(SYS_exit_group, Status);
}

int forkQuietly() {
  // Without an exit signal this is a clone child, which wait() does not report.
  long Result = syscall(SYS_clone, 0UL, nullptr, nullptr, nullptr, 0UL);
  return Result < 0 ? -errno : static_cast<int>(Result);
}

ChildState reapWriter(int Pid, bool Wait) {
  const SavedErrno Kept;
  int Status = 0;
  long Result;
  do
    Result = syscall(SYS_wait4, Pid, &Status, __WCLONE | (Wait ? 0 : WNOHANG),
                     nullptr);
  while (Result < 0 && errno == EINTR);
  if (Result == 0)
    return ChildState::Runs;
  // On an error the program has already waited for the child.
  return Result < 0 || Status == 0 ? ChildState::Done : ChildState::Failed;
}

/// Waits for a child to end; restarts after signals.
static void waitForChild(int Pid) {
  while (syscall(SYS_wait4, Pid, nullptr, 0, nullptr) < 0 && errno == EINTR) {
  }
}

int runProgram(const char *const *Arguments, char *const *Environment,
               const char *Output) {
  posix_spawn_file_actions_t Actions;
  posix_spawn_file_actions_init(&Actions);
  if (Output)
    posix_spawn_file_actions_addopen(
        &Actions, 1, Output, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);
  else
    posix_spawn_file_actions_adddup2(&Actions, 2, 1);
  pid_t Child;
  const int Error =
      posix_spawnp(&Child, Arguments[0], &Actions, nullptr,
                   const_cast<char *const *>(Arguments), Environment);
  posix_spawn_file_actions_destroy(&Actions);
  if (Error == 0)
    waitForChild(Child);
  return Error;
}

/// All of /proc/self/environ in freshly mapped pages; null if it cannot be
/// read. \p Capacity is their size, \p Length the bytes used.
static char *readOwnEnvironment(size_t &Capacity, size_t &Length) {
  for (Capacity = 256 * 1024;; Capacity *= 4) {
    auto *All = static_cast<char *>(mapPages(Capacity));
    if (!All)
      return nullptr;
    Length = readSmallFile("/proc/self/environ", All, Capacity);
    if (Length + 1 < Capacity)
      return All;
    unmapPages(All, Capacity); // the environment is larger
  }
}

bool withEnvironmentVariable(const char *Name, void (*Use)(const char *Value)) {
  const size_t NameLength = strlen(Name);
  auto IsNamed = [&](const char *Entry) {
    return strncmp(Entry, Name, NameLength) == 0 && Entry[NameLength] == '=';
  };
  if (environ) {
    for (char **E = environ; *E; ++E)
      if (IsNamed(*E)) {
        Use(*E + NameLength + 1);
        return true;
      }
    return false;
  }
  // libc has not set up its environment yet.
  size_t Capacity, Length;
  char *All = readOwnEnvironment(Capacity, Length);
  if (!All)
    return false;
  bool Found = false;
  for (size_t I = 0; I < Length && !Found; I += strlen(All + I) + 1)
    if (IsNamed(All + I)) {
      Found = true;
      Use(All + I + NameLength + 1);
    }
  unmapPages(All, Capacity);
  return Found;
}

bool randomBytes(void *Buffer, size_t Size) {
  return syscall(SYS_getrandom, Buffer, Size, 0) == static_cast<long>(Size);
}

bool runsWithRaisedPrivileges() { return getauxval(AT_SECURE) != 0; }

void executablePath(char *Buffer, size_t Size) {
  readLink("/proc/self/exe", Buffer, Size);
}

uint64_t residentBytes() {
  const SavedErrno Kept;
  char Text[128]; // on the program's stack, which may be small
  if (!readSmallFile("/proc/self/statm", Text, sizeof Text))
    return 0;
  const char *Resident = strchr(Text, ' ');
  return Resident ? leadingNumber(Resident, 0) * pageSize() : 0;
}

uint64_t peakResidentBytes() {
  const SavedErrno Kept;
  return numberInFile("/proc/self/status", "\nVmHWM:", 0) << 10; // KiB
}

void hostName(char *Buffer, size_t Size) {
  Buffer[0] = Buffer[Size - 1] = 0;
  gethostname(Buffer, Size - 1);
}

uintptr_t programEntry() { return getauxval(AT_ENTRY); }
uintptr_t loaderBase() { return getauxval(AT_BASE); }
uintptr_t mainStackEnd() { return getauxval(AT_RANDOM) & ~uintptr_t{15}; }

} // namespace inmem::rt
