//===- Tasks.cpp ----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/Tasks.h"

#include "platform/Compiler.h"
#include "platform/Errors.h"
#include "platform/Files.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace inmem::rt {

uint32_t threadId() { return static_cast<uint32_t>(syscall(SYS_gettid)); }

uintptr_t threadPointerOf(pthread_t Id) {
#if defined(__x86_64__)
  return Id;
#else
  return Id + (reinterpret_cast<uintptr_t>(threadPointer()) - pthread_self());
#endif
}

bool threadExists(uint32_t Pid, uint32_t Tid) {
  return syscall(SYS_tgkill, Pid, Tid, 0) == 0 || errno != ESRCH;
}

void yieldProcessor() { sched_yield(); }

void readThreadName(char (&Name)[kThreadNameBytes]) {
  syscall(SYS_prctl, PR_GET_NAME, Name);
}

void setThreadName(const char *Name) { syscall(SYS_prctl, PR_SET_NAME, Name); }

int systemPrctl(int Option, unsigned long A, unsigned long B, unsigned long C,
                unsigned long D) {
  return static_cast<int>(syscall(SYS_prctl, Option, A, B, C, D));
}

bool unsharesThreads(int Flags) {
  constexpr int kWithThreads =
      CLONE_NEWUSER | CLONE_THREAD | CLONE_SIGHAND | CLONE_VM;
  return (Flags & kWithThreads) != 0;
}

static constinit CreateFunction *CreateThread = nullptr;

void useToCreateThreads(CreateFunction *Create) { CreateThread = Create; }

bool startThread(size_t StackBytes, void *(*Run)(void *), void *Argument,
                 pthread_t &Id) {
  // Not the raw call: this thread, too, must receive the C library's own
  // signals (setuid() and others).
  sigset_t All, Before;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, &Before);
  pthread_attr_t Attributes;
  pthread_attr_init(&Attributes);
  pthread_attr_setdetachstate(&Attributes, PTHREAD_CREATE_DETACHED);
  if (StackBytes)
    pthread_attr_setstacksize(&Attributes, StackBytes);
  CreateFunction *Create = CreateThread ? CreateThread : pthread_create;
  const bool Started = Create(&Id, &Attributes, Run, Argument) == 0;
  pthread_attr_destroy(&Attributes);
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
  return Started;
}

static constexpr const char *kTaskFolder = "/proc/self/task";

void forEachTask(void (*Visit)(void *, uint32_t), void *Context) {
  const SavedErrno Kept;
  const long Fd = syscall(SYS_openat, AT_FDCWD, kTaskFolder,
                          O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // struct linux_dirent64
  struct Entry {
    uint64_t Inode, Offset;
    uint16_t Bytes;
    uint8_t Kind;
    char Name[5];
  };
  alignas(Entry) char Buffer[1024];
  for (long Got; Fd >= 0 && (Got = syscall(SYS_getdents64, Fd, Buffer,
                                           sizeof Buffer)) > 0;)
    for (long At = 0; At < Got;) {
      const auto *E = reinterpret_cast<const Entry *>(Buffer + At);
      uint32_t Tid = 0;
      const char *Name = E->Name;
      for (; *Name >= '0' && *Name <= '9'; ++Name)
        Tid = Tid * 10 + static_cast<uint32_t>(*Name - '0');
      if (Tid)
        Visit(Context, Tid);
      At += E->Bytes;
    }
  if (Fd >= 0)
    closeFile(static_cast<int>(Fd));
}

uint32_t countTasks() {
  const uint64_t Links = countLinks(kTaskFolder);
  return Links < 3 ? 0
                   : static_cast<uint32_t>(Links - 2); // excluding "." and ".."
}

uint32_t countRunningTasks() {
  const uint32_t All = countTasks();
  char Text[128]; // "pid (name) state ..."; the name is arbitrary text
  if (All < 2 || !readSmallFile("/proc/self/stat", Text, sizeof Text))
    return All;
  const char *Name = strrchr(Text, ')');
  return Name && strncmp(Name, ") Z", 3) == 0 ? All - 1 : All;
}

size_t readTaskFile(uint32_t Tid, const char *Name, char *Buffer, size_t Size) {
  char Path[64] = "/proc/self/task/", Digits[12];
  size_t Length = strlen(Path), Digit = sizeof Digits;
  do
    Digits[--Digit] = static_cast<char>('0' + Tid % 10);
  while ((Tid /= 10) != 0);
  while (Digit < sizeof Digits)
    Path[Length++] = Digits[Digit++];
  Path[Length++] = '/';
  strcpy(Path + Length, Name);
  return readSmallFile(Path, Buffer, Size);
}

bool readThreadName(uint32_t Tid, char (&Name)[kThreadNameBytes]) {
  char Text[kThreadNameBytes + 2];
  if (!readTaskFile(Tid, "comm", Text, sizeof Text))
    return false;
  const size_t Length = strcspn(Text, "\n");
  memset(Name, 0, sizeof Name);
  memcpy(Name, Text, Length < sizeof Name ? Length : sizeof Name - 1);
  return true;
}

uintptr_t stackPointerOf(uint32_t Tid) {
  char Text[256];
  if (!readTaskFile(Tid, "syscall", Text, sizeof Text))
    return 0;
  // "number, six arguments, stack pointer, program counter", or "running".
  char *Last = strrchr(Text, ' ');
  if (!Last || Last == Text)
    return 0;
  *Last = 0;
  const char *Before = strrchr(Text, ' ');
  uintptr_t Value = 0;
  if (!Before || strncmp(Before, " 0x", 3) != 0)
    return 0;
  for (const char *C = Before + 3; *C; ++C)
    Value = Value << 4 |
            static_cast<uintptr_t>(*C <= '9' ? *C - '0' : *C - 'a' + 10);
  return Value;
}

bool takesDescriptor(int32_t Call) {
  switch (Call) {
  case SYS_read:
  case SYS_write:
  case SYS_pread64:
  case SYS_pwrite64:
  case SYS_readv:
  case SYS_writev:
  case SYS_preadv:
  case SYS_pwritev:
  case SYS_preadv2:
  case SYS_pwritev2:
  case SYS_fsync:
  case SYS_fdatasync:
  case SYS_flock:
  case SYS_fcntl:
  case SYS_ioctl:
  case SYS_ftruncate:
  case SYS_fallocate:
  case SYS_accept:
  case SYS_accept4:
  case SYS_connect:
  case SYS_recvfrom:
  case SYS_sendto:
  case SYS_recvmsg:
  case SYS_sendmsg:
  case SYS_recvmmsg:
  case SYS_sendmmsg:
  case SYS_epoll_pwait:
  case SYS_getdents64:
#ifdef SYS_epoll_wait
  case SYS_epoll_wait:
#endif
    return true;
  default:
    return false;
  }
}

bool isFutexCall(int32_t Call) { return Call == SYS_futex; }

bool isSleepCall(int32_t Call) {
  return Call == SYS_nanosleep || Call == SYS_clock_nanosleep;
}

} // namespace inmem::rt
