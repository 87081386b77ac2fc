//===- Memory.cpp - memcpy and its kin for the runtime alone --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hidden, so that the library's calls, including compiler-generated ones,
// resolve to these functions. A sanitizer in the process intercepts the C
// library's: it would see our threads copy into one buffer, but not the lock
// that they hold. Only slow paths copy. Not in the static library, where the
// program would get these functions.
//
//===----------------------------------------------------------------------===//
#include "platform/OwnFunction.h"

#include <stddef.h>
#include <stdint.h>

namespace {
#if defined(__x86_64__)
// From this size on `rep movsb` is faster.
constexpr size_t kLarge = 512;
#endif

template <typename T> struct __attribute__((packed, may_alias)) Unaligned {
  T Value;
};
template <typename T> T load(const char *At) {
  return reinterpret_cast<const Unaligned<T> *>(At)->Value;
}
template <typename T> void store(char *At, T Value) {
  reinterpret_cast<Unaligned<T> *>(At)->Value = Value;
}

// The last piece of a copy may overlap the previous one.
template <typename T> void copyEnds(char *To, const char *From, size_t Bytes) {
  const T Last = load<T>(From + Bytes - sizeof(T));
  store(To, load<T>(From));
  store(To + Bytes - sizeof(T), Last);
}
} // namespace

INMEM_OWN void *memcpy(void *Target, const void *Source, size_t Bytes) {
  char *To = static_cast<char *>(Target);
  const char *From = static_cast<const char *>(Source);
  if (Bytes < 4) {
    for (size_t I = 0; I < Bytes; ++I) {
      To[I] = From[I];
      keepLoop();
    }
  } else if (Bytes < 8) {
    copyEnds<uint32_t>(To, From, Bytes);
  } else if (Bytes < 16) {
    copyEnds<uint64_t>(To, From, Bytes);
#if defined(__x86_64__)
  } else if (Bytes >= kLarge) { // names and records are shorter
    __asm__ volatile("rep movsb"
                     : "+D"(To), "+S"(From), "+c"(Bytes)
                     :
                     : "memory");
#endif
  } else {
    const size_t Last = Bytes - 16;
    for (size_t I = 0; I < Last; I += 16) {
      store(To + I, load<uint64_t>(From + I));
      store(To + I + 8, load<uint64_t>(From + I + 8));
      keepLoop();
    }
    copyEnds<uint64_t>(To + Last, From + Last, 16);
  }
  return Target;
}

INMEM_OWN void *memset(void *Target, int Value, size_t Bytes) {
  char *To = static_cast<char *>(Target);
  const uint64_t Bits =
      static_cast<unsigned char>(Value) * UINT64_C(0x0101010101010101);
  if (Bytes < 8) {
    for (size_t I = 0; I < Bytes; ++I) {
      To[I] = static_cast<char>(Value);
      keepLoop();
    }
#if defined(__x86_64__)
  } else if (Bytes >= kLarge) {
    __asm__ volatile("rep stosb"
                     : "+D"(To), "+c"(Bytes)
                     : "a"(Value)
                     : "memory");
#endif
  } else {
    for (size_t I = 0; I < Bytes - 8; I += 8) {
      store(To + I, Bits);
      keepLoop();
    }
    store(To + Bytes - 8, Bits);
  }
  return Target;
}

INMEM_OWN void *memmove(void *Target, const void *Source, size_t Bytes) {
  char *To = static_cast<char *>(Target);
  const char *From = static_cast<const char *>(Source);
  if (To <= From || To >= From + Bytes) {
    for (size_t I = 0; I < Bytes; ++I) {
      To[I] = From[I];
      keepLoop();
    }
    return Target;
  }
  size_t Left = Bytes;
  for (; Left >= 8; Left -= 8) { // a word at a time, the last one first
    store(To + Left - 8, load<uint64_t>(From + Left - 8));
    keepLoop();
  }
  for (; Left > 0; --Left) {
    To[Left - 1] = From[Left - 1];
    keepLoop();
  }
  return Target;
}

INMEM_OWN int memcmp(const void *A, const void *B, size_t Bytes) {
  const char *First = static_cast<const char *>(A);
  const char *Second = static_cast<const char *>(B);
  size_t I = 0;
  while (Bytes - I >= 8 &&
         load<uint64_t>(First + I) == load<uint64_t>(Second + I)) {
    I += 8;
    keepLoop();
  }
  for (; I < Bytes; ++I) {
    if (First[I] != Second[I])
      return static_cast<unsigned char>(First[I]) -
             static_cast<unsigned char>(Second[I]);
    keepLoop();
  }
  return 0;
}

// Clang turns a memcmp into this if its result is only compared with 0.
INMEM_OWN int bcmp(const void *A, const void *B, size_t Bytes) {
  return memcmp(A, B, Bytes);
}
