//===- Tasks.cpp ----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/Tasks.h"

#include "platform/Platform.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace inmem::rt {

namespace {

constexpr const char *kFolder = "/proc/self/task";

/// As getdents64(2) has it.
struct Entry {
  uint64_t Inode;
  int64_t Offset;
  uint16_t Bytes;
  uint8_t Type;
  char Name[];
};

uint32_t numberOf(const char *Text) {
  uint32_t N = 0;
  for (; *Text >= '0' && *Text <= '9'; ++Text)
    N = N * 10 + static_cast<uint32_t>(*Text - '0');
  return *Text ? 0 : N;
}

} // namespace

uint32_t countTasks() {
  struct stat About;
  if (stat(kFolder, &About) != 0 || About.st_nlink < 3)
    return 0;
  return static_cast<uint32_t>(About.st_nlink - 2); // but "." and ".."
}

bool TaskList::add(uint32_t Tid) {
  if (Count == Capacity) {
    const uint32_t More = Capacity ? Capacity * 2 : 1024;
    auto *Fresh = static_cast<uint32_t *>(mapPages(More * sizeof(uint32_t)));
    if (!Fresh)
      return false;
    if (Ids) {
      memcpy(Fresh, Ids, Count * sizeof(uint32_t));
      unmapPages(Ids, Capacity * sizeof(uint32_t));
    }
    Ids = Fresh;
    Capacity = More;
  }
  // The kernel lists them in order of creation: mostly the last is the highest.
  uint32_t At = Count++;
  for (; At > 0 && Ids[At - 1] > Tid; --At)
    Ids[At] = Ids[At - 1];
  Ids[At] = Tid;
  return true;
}

TaskList::TaskList() {
  const auto Fd = static_cast<int>(syscall(SYS_openat, AT_FDCWD, kFolder,
                                           O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (Fd < 0)
    return;
  alignas(Entry) char Buffer[4096];
  for (;;) {
    const long Bytes = syscall(SYS_getdents64, Fd, Buffer, sizeof Buffer);
    if (Bytes <= 0)
      break;
    for (long At = 0; At < Bytes;) {
      const auto *E = reinterpret_cast<const Entry *>(Buffer + At);
      if (const uint32_t Tid = numberOf(E->Name))
        if (!add(Tid))
          break;
      At += E->Bytes;
    }
  }
  closeFile(Fd);
}

TaskList::~TaskList() {
  if (Ids)
    unmapPages(Ids, Capacity * sizeof(uint32_t));
}

} // namespace inmem::rt
