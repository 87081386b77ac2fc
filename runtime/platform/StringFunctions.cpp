//===- StringFunctions.cpp - strlen and its kin for the runtime alone -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As in Memory.cpp: a sanitizer in the process intercepts the C library's
// functions, and would report our read of a library's name as a race with the
// dlclose that waits for us to finish. Hidden, and not in the static library.
//
//===----------------------------------------------------------------------===//
#include "platform/OwnFunction.h"

#include <stddef.h>

namespace {
int difference(char A, char B) {
  return static_cast<unsigned char>(A) - static_cast<unsigned char>(B);
}
} // namespace

INMEM_OWN size_t strlen(const char *Text) {
  const char *End = Text;
  for (; *End; ++End)
    keepLoop();
  return static_cast<size_t>(End - Text);
}

INMEM_OWN size_t strnlen(const char *Text, size_t Most) {
  size_t Length = 0;
  for (; Length < Most && Text[Length]; ++Length)
    keepLoop();
  return Length;
}

INMEM_OWN int strcmp(const char *A, const char *B) {
  for (; *A && *A == *B; ++A, ++B)
    keepLoop();
  return difference(*A, *B);
}

INMEM_OWN int strncmp(const char *A, const char *B, size_t Most) {
  for (; Most > 0; --Most, ++A, ++B) {
    if (!*A || *A != *B)
      return difference(*A, *B);
    keepLoop();
  }
  return 0;
}

INMEM_OWN void *memchr(const void *Memory, int Wanted, size_t Bytes) {
  const char *At = static_cast<const char *>(Memory);
  for (; Bytes > 0; --Bytes, ++At) {
    if (*At == static_cast<char>(Wanted))
      return const_cast<char *>(At);
    keepLoop();
  }
  return nullptr;
}

INMEM_OWN char *strchr(const char *Text, int Wanted) {
  for (;; ++Text) {
    if (*Text == static_cast<char>(Wanted))
      return const_cast<char *>(Text);
    if (!*Text)
      return nullptr;
    keepLoop();
  }
}

INMEM_OWN char *strrchr(const char *Text, int Wanted) {
  const char *Last = nullptr;
  for (;; ++Text) {
    if (*Text == static_cast<char>(Wanted))
      Last = Text;
    if (!*Text)
      return const_cast<char *>(Last);
    keepLoop();
  }
}

INMEM_OWN char *strstr(const char *Text, const char *Part) {
  for (;; ++Text) {
    size_t Same = 0;
    for (; Part[Same] && Text[Same] == Part[Same]; ++Same)
      keepLoop();
    if (!Part[Same])
      return const_cast<char *>(Text);
    if (!*Text)
      return nullptr;
  }
}

INMEM_OWN char *strchrnul(const char *Text, int Wanted) {
  for (; *Text && *Text != static_cast<char>(Wanted); ++Text)
    keepLoop();
  return const_cast<char *>(Text);
}

INMEM_OWN size_t strspn(const char *Text, const char *Wanted) {
  size_t Length = 0;
  for (; Text[Length] && strchr(Wanted, Text[Length]); ++Length)
    keepLoop();
  return Length;
}

INMEM_OWN size_t strcspn(const char *Text, const char *Ends) {
  size_t Length = 0;
  for (; Text[Length] && !strchr(Ends, Text[Length]); ++Length)
    keepLoop();
  return Length;
}

INMEM_OWN char *strpbrk(const char *Text, const char *Wanted) {
  Text += strcspn(Text, Wanted);
  return *Text ? const_cast<char *>(Text) : nullptr;
}

INMEM_OWN char *strcpy(char *To, const char *From) {
  for (size_t I = 0;; ++I) {
    To[I] = From[I];
    if (!From[I])
      return To;
    keepLoop();
  }
}

INMEM_OWN char *strncpy(char *To, const char *From, size_t Most) {
  size_t I = 0;
  for (; I < Most && From[I]; ++I) {
    To[I] = From[I];
    keepLoop();
  }
  for (; I < Most; ++I) {
    To[I] = 0;
    keepLoop();
  }
  return To;
}

INMEM_OWN char *strcat(char *To, const char *From) {
  strcpy(To + strlen(To), From);
  return To;
}
