//===- Files.cpp ----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/Files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <termios.h>
#include <unistd.h>

namespace inmem::rt {

/// Moves \p Fd above the descriptors that the program expects to get.
static int moveHigh(int Fd) {
  struct rlimit Limit;
  rlim_t Most = 1024;
  if (getrlimit(RLIMIT_NOFILE, &Limit) == 0 && Limit.rlim_cur < Most)
    Most = Limit.rlim_cur;
  const rlim_t Candidates[] = {Most > 64 ? Most - 64 : Most / 2, 10};
  for (rlim_t From : Candidates) {
    int High = static_cast<int>(syscall(SYS_fcntl, Fd, F_DUPFD_CLOEXEC, From));
    if (High >= 0) {
      syscall(SYS_close, Fd);
      return High;
    }
  }
  return Fd;
}

int createFile(const char *Path) {
  long Fd = syscall(SYS_openat, AT_FDCWD, Path,
                    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  return Fd < 0 ? -errno : moveHigh(static_cast<int>(Fd));
}

int openForAppending(const char *Path) {
  long Fd =
      syscall(SYS_openat, AT_FDCWD, Path,
              O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  return Fd < 0 ? -errno : moveHigh(static_cast<int>(Fd));
}

/// Copies the path of the file's folder, with its last slash. \returns false
/// without a slash, or if it does not fit
static bool copyFolder(const char *Path, char *Folder, size_t Size) {
  const char *Slash = strrchr(Path, '/');
  size_t Length = Slash ? static_cast<size_t>(Slash - Path) + 1 : 0;
  if (Length == 0 || Length >= Size)
    return false;
  memcpy(Folder, Path, Length);
  Folder[Length] = 0;
  return true;
}

bool makeFolderOf(const char *Path) {
  char Folder[1024];
  return copyFolder(Path, Folder, sizeof Folder) &&
         (syscall(SYS_mkdirat, AT_FDCWD, Folder, 0777) == 0 || errno == EEXIST);
}

int createUnnamedFile(const char *Path) {
  char Folder[1024];
  if (!copyFolder(Path, Folder, sizeof Folder))
    return -EOPNOTSUPP;
  static constinit bool HasProc = false;
  if (!HasProc && syscall(SYS_faccessat, AT_FDCWD, "/proc/self/fd", F_OK) != 0)
    return -EOPNOTSUPP; // it could not be given a name
  HasProc = true;
  long Fd = syscall(SYS_openat, AT_FDCWD, Folder,
                    O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
  return Fd < 0 ? -errno : moveHigh(static_cast<int>(Fd));
}

int nameFile(int Fd, const char *Path) {
  char Link[32] = "/proc/self/fd/";
  char *At = Link + strlen(Link);
  unsigned Divisor = 1;
  while (static_cast<unsigned>(Fd) / Divisor >= 10)
    Divisor *= 10;
  for (; Divisor > 0; Divisor /= 10)
    *At++ = static_cast<char>('0' + static_cast<unsigned>(Fd) / Divisor % 10);
  return syscall(SYS_linkat, AT_FDCWD, Link, AT_FDCWD, Path,
                 AT_SYMLINK_FOLLOW) == 0
             ? 0
             : errno;
}

/// Raw system calls, because sanitizers intercept stat and its variants and
/// would report a race between our use of the descriptor and the program's.
static bool readStatus(const char *Path, int Flags, struct stat &Status) {
  return syscall(SYS_newfstatat, AT_FDCWD, Path, &Status, Flags) == 0;
}
static bool readStatus(int Fd, struct stat &Status) {
  return syscall(SYS_newfstatat, Fd, "", &Status, AT_EMPTY_PATH) == 0;
}

uint64_t countLinks(const char *Path) {
  struct stat Status;
  return readStatus(Path, 0, Status) ? Status.st_nlink : 0;
}

bool leadsToDevice(const char *Path) {
  struct stat Itself, Target;
  if (!readStatus(Path, AT_SYMLINK_NOFOLLOW, Itself) ||
      !readStatus(Path, 0, Target))
    return false;
  return S_ISCHR(Target.st_mode) || S_ISBLK(Target.st_mode) ||
         (S_ISLNK(Itself.st_mode) &&
          (S_ISFIFO(Target.st_mode) || S_ISSOCK(Target.st_mode)));
}

int openOwnFile(const char *Path, bool Writable) {
  int Access = Writable ? O_RDWR : O_RDONLY;
  long Fd = syscall(SYS_openat, AT_FDCWD, Path,
                    Access | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (Fd < 0)
    return -errno;
  struct stat Status;
  if (!readStatus(static_cast<int>(Fd), Status) || !S_ISREG(Status.st_mode) ||
      Status.st_uid != geteuid()) {
    syscall(SYS_close, Fd);
    return -EPERM;
  }
  return moveHigh(static_cast<int>(Fd));
}

static struct flock wholeFile() {
  struct flock Lock = {};
  Lock.l_type = F_WRLCK;
  Lock.l_whence = SEEK_SET;
  return Lock;
}

void holdFile(int Fd) {
  struct flock Lock = wholeFile();
  syscall(SYS_fcntl, Fd, F_SETLK, &Lock);
}

bool isHeldByOther(int Fd) {
  struct flock Lock = wholeFile();
  return syscall(SYS_fcntl, Fd, F_GETLK, &Lock) == 0 && Lock.l_type != F_UNLCK;
}

/// Past RLIMIT_FSIZE the kernel raises SIGXFSZ, which would kill the program.
static bool isBeyondLimit(uint64_t End) {
  struct rlimit Limit;
  return getrlimit(RLIMIT_FSIZE, &Limit) == 0 &&
         Limit.rlim_cur != RLIM_INFINITY && End > Limit.rlim_cur;
}

int growFile(int Fd, uint64_t From, uint64_t End) {
  if (isBeyondLimit(End))
    return EFBIG;
  long Result;
  do
    Result = syscall(SYS_fallocate, Fd, 0, From, End - From);
  while (Result != 0 && errno == EINTR);
  if (Result == 0)
    return 0;
  // This file system or sandbox has no fallocate: write zeros, so that a full
  // disk is an error here and not a SIGBUS in the program later.
  const bool IsMissing =
      errno == EOPNOTSUPP || errno == ENOSYS || errno == EPERM;
  return IsMissing ? writeZeros(Fd, From, End) : errno;
}

int writeZeros(int Fd, uint64_t From, uint64_t End) {
  if (isBeyondLimit(End))
    return EFBIG;
  static char Zeros[16384]; // never written; const would put it in the library
  constexpr size_t kPieces = 16; // on the stack, which may be small
  for (uint64_t At = From; At < End;) {
    struct iovec Pieces[kPieces];
    size_t Count = 0;
    for (uint64_t Left = End - At; Left > 0 && Count < kPieces; ++Count) {
      size_t Size = Left < sizeof Zeros ? Left : sizeof Zeros;
      Pieces[Count] = {Zeros, Size};
      Left -= Size;
    }
    long N = syscall(SYS_pwritev, Fd, Pieces, Count, At, At >> 32);
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0)
      return N == 0 ? ENOSPC : errno;
    At += static_cast<uint64_t>(N);
  }
  return 0;
}

int openForReading(const char *Path) {
  return static_cast<int>(
      syscall(SYS_openat, AT_FDCWD, Path,
              O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
}

void closeFile(int Fd) { syscall(SYS_close, Fd); }

long readAt(int Fd, void *To, size_t Bytes, uint64_t Offset) {
  return syscall(SYS_pread64, Fd, To, Bytes, Offset);
}

long writeAt(int Fd, const void *From, size_t Bytes, uint64_t Offset) {
  return syscall(SYS_pwrite64, Fd, From, Bytes, Offset);
}

long writeNext(int Fd, const void *From, size_t Bytes) {
  return syscall(SYS_write, Fd, From, Bytes);
}

bool renameFile(const char *From, const char *To) {
  return syscall(SYS_renameat2, AT_FDCWD, From, AT_FDCWD, To, 0U) == 0;
}

bool removeFile(const char *Path) {
  return syscall(SYS_unlinkat, AT_FDCWD, Path, 0) == 0;
}

void closeOtherFiles(int Fd) {
#ifndef SYS_close_range
  constexpr long SYS_close_range = 436; // Linux 5.9
#endif
  const auto Own = static_cast<unsigned>(Fd);
  if ((Own == 0 || syscall(SYS_close_range, 0U, Own - 1, 0U) == 0) &&
      syscall(SYS_close_range, Own + 1, ~0U, 0U) == 0)
    return;
  constexpr int kMost = 65536;
  for (int I = 0; I < kMost; ++I)
    if (I != Fd)
      closeFile(I);
}

bool truncateFile(int Fd, uint64_t Bytes) {
  return ftruncate(Fd, static_cast<off_t>(Bytes)) == 0;
}

bool isRegularFile(int Fd) {
  struct stat Status;
  return readStatus(Fd, Status) && S_ISREG(Status.st_mode);
}

bool isExecutable(const char *Path) { return access(Path, X_OK) == 0; }

bool isTerminal(int Fd) {
  struct termios Settings;
  return syscall(SYS_ioctl, Fd, TCGETS, &Settings) == 0;
}

bool fileIdentity(int Fd, uint64_t &Device, uint64_t &Inode) {
  struct stat Status;
  if (Fd < 0 || !readStatus(Fd, Status))
    return false;
  Device = Status.st_dev;
  Inode = Status.st_ino;
  return true;
}

bool fileSize(int Fd, uint64_t &Bytes) {
  struct stat Status;
  if (Fd < 0 || !readStatus(Fd, Status))
    return false;
  Bytes = static_cast<uint64_t>(Status.st_size);
  return true;
}

size_t readSmallFile(const char *Path, char *Buffer, size_t Size) {
  long Fd = syscall(SYS_openat, AT_FDCWD, Path, O_RDONLY | O_CLOEXEC);
  if (Fd < 0)
    return 0;
  size_t Length = 0;
  while (Length + 1 < Size) {
    long N = syscall(SYS_read, Fd, Buffer + Length, Size - 1 - Length);
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0)
      break;
    Length += static_cast<size_t>(N);
  }
  syscall(SYS_close, Fd);
  Buffer[Length] = 0;
  return Length;
}

uint64_t leadingNumber(const char *Text, uint64_t Otherwise) {
  while (*Text == ' ' || *Text == '\t')
    ++Text;
  if (*Text < '0' || *Text > '9')
    return Otherwise; // such as "max"
  uint64_t N = 0;
  for (; *Text >= '0' && *Text <= '9'; ++Text)
    N = N * 10 + static_cast<uint64_t>(*Text - '0');
  return N;
}

uint64_t numberInFile(const char *Path, const char *Key, uint64_t Otherwise) {
  char Text[4096];
  if (!readSmallFile(Path, Text, sizeof Text))
    return Otherwise;
  const char *At = strstr(Text, Key);
  return At ? leadingNumber(At + strlen(Key), Otherwise) : Otherwise;
}

void readLink(const char *Path, char *Buffer, size_t Size) {
  const long Length = syscall(SYS_readlinkat, AT_FDCWD, Path, Buffer, Size - 1);
  Buffer[Length > 0 ? Length : 0] = 0;
}

void currentFolder(char *Buffer, size_t Size) {
  if (syscall(SYS_getcwd, Buffer, Size) <= 0)
    Buffer[0] = 0;
}

} // namespace inmem::rt
