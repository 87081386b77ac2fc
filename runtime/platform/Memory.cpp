//===- Memory.cpp - memcpy and its kin for the runtime alone --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hidden, so that the library's calls, also those that the compiler makes, come
// here. A sanitizer beside us intercepts the C library's functions: it would
// see our threads copy into one buffer, but not the lock that they hold. Only
// slow paths copy. Not in the static library, where the program would get them.
//
//===----------------------------------------------------------------------===//
#include <stddef.h>

#define INMEM_OWN                                                              \
  extern "C" __attribute__((visibility("hidden"), used, no_builtin))

INMEM_OWN void *memcpy(void *To, const void *From, size_t Bytes) {
#if defined(__x86_64__)
  void *At = To;
  __asm__ volatile("rep movsb"
                   : "+D"(At), "+S"(From), "+c"(Bytes)
                   :
                   : "memory");
#else
  for (size_t I = 0; I < Bytes; ++I)
    static_cast<volatile char *>(To)[I] = static_cast<const char *>(From)[I];
#endif
  return To;
}

INMEM_OWN void *memset(void *To, int Value, size_t Bytes) {
#if defined(__x86_64__)
  void *At = To;
  __asm__ volatile("rep stosb" : "+D"(At), "+c"(Bytes) : "a"(Value) : "memory");
#else
  for (size_t I = 0; I < Bytes; ++I)
    static_cast<volatile char *>(To)[I] = static_cast<char>(Value);
#endif
  return To;
}

INMEM_OWN int memcmp(const void *A, const void *B, size_t Bytes) {
  const auto *First = static_cast<const volatile unsigned char *>(A);
  const auto *Second = static_cast<const volatile unsigned char *>(B);
  for (size_t I = 0; I < Bytes; ++I)
    if (First[I] != Second[I])
      return First[I] - Second[I];
  return 0;
}
