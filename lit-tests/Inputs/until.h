// Waits for what must happen, however slow or busy the machine is. C and C++.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UNTIL_H
#define UNTIL_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// Seconds after which it is taken for a fault that something has not happened.
#define PATIENCE 1800

/// Looks each millisecond; half an hour ends the program.
#define UNTIL(...)                                                             \
  do                                                                           \
    for (long Looks_ = 0; !(__VA_ARGS__); usleep(1000))                        \
      if (++Looks_ > PATIENCE * 1000L) {                                       \
        fprintf(stderr, "line %d: never: %s\n", __LINE__, #__VA_ARGS__);       \
        _exit(99);                                                             \
      }                                                                        \
  while (0)

/// The state of a thread of this process as the kernel has it: R, S, Z, …;
/// that of main's thread for "/proc/self/stat". Allocates nothing.
static inline char stateIn(const char *Path) {
  char Text[512];
  const int Fd = open(Path, O_RDONLY | O_CLOEXEC);
  const ssize_t Bytes = Fd < 0 ? -1 : read(Fd, Text, sizeof Text - 1);
  if (Fd >= 0)
    close(Fd);
  if (Bytes <= 0)
    return 0;
  Text[Bytes] = 0;
  const char *End = strrchr(Text, ')');
  return End && End[1] ? End[2] : 0;
}

static inline char stateOfThread(int Tid) {
  char Path[64];
  snprintf(Path, sizeof Path, "/proc/self/task/%d/stat", Tid);
  return stateIn(Path);
}

/// True if the first mebibyte of a file has the text. Allocates nothing.
/// For one thread at a time.
static inline int fileHas(const char *Path, const char *Text) {
  static char Content[1 << 20];
  const int Fd = open(Path, O_RDONLY | O_CLOEXEC);
  size_t All = 0;
  ssize_t Bytes = 0;
  while (Fd >= 0 && All < sizeof Content - 1 &&
         (Bytes = read(Fd, Content + All, sizeof Content - 1 - All)) > 0)
    All += (size_t)Bytes;
  if (Fd >= 0)
    close(Fd);
  Content[All] = 0;
  return strstr(Content, Text) != 0;
}

#endif
