// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every allocation function over a pool that frees nothing, under the names that M gives them; as C or as C++. It counts calls and requested bytes.
#include <stddef.h>
#include <stdio.h>
#ifndef M
#define M(Name) Name
#endif
#ifndef VISIBILITY
#define VISIBILITY
#endif
#define API __attribute__((noinline)) VISIBILITY
#ifdef __cplusplus
extern "C" {
#endif
long OwnCalls, OwnFrees, OwnBytes, OwnForeign;
static char Pool[1 << 22] __attribute__((aligned(64)));
static size_t Used;
int isOwn(void *P) { return (char *)P >= Pool && (char *)P < Pool + sizeof Pool; }
static void *take(size_t Bytes, size_t Align) {
  ++OwnCalls;
  OwnBytes += (long)Bytes;
  Used = (Used + 8 + Align - 1) & ~(Align - 1);
  size_t *P = (size_t *)(void *)(Pool + Used);
  P[-1] = Bytes;
  Used += Bytes;
  if (Used > sizeof Pool)
    __builtin_trap();
  return P;
}
static void give(void *P) {
  if (P && isOwn(P))
    ++OwnFrees;
  else if (P)
    ++OwnForeign;
}
API void *M(malloc)(size_t Size) { return take(Size, 8); }
API void M(free)(void *P) { give(P); }
#ifdef OVER_MALLOC /* as many do: a block of calloc is one of malloc */
API void *M(calloc)(size_t Count, size_t Size) {
  char *P = (char *)M(malloc)(Count * Size);
  for (size_t I = 0; I < Count * Size; ++I)
    ((volatile char *)P)[I] = 0;
  return P;
}
API void *M(realloc)(void *P, size_t Size) {
  char *Q = (char *)M(malloc)(Size);
  for (size_t I = 0; P && I < Size && I < ((size_t *)P)[-1]; ++I)
    Q[I] = ((char *)P)[I];
  M(free)(P);
  return Q;
}
#else
API void *M(calloc)(size_t Count, size_t Size) { return take(Count * Size, 8); }
API void *M(realloc)(void *P, size_t Size) {
  char *Q = (char *)take(Size, 8);
  for (size_t I = 0; P && I < Size && I < ((size_t *)P)[-1]; ++I)
    Q[I] = ((char *)P)[I];
  return Q;
}
#endif
API void *M(aligned_alloc)(size_t Align, size_t Size) { return take(Size, Align); }
API void *M(memalign)(size_t Align, size_t Size) { return take(Size, Align); }
API int M(posix_memalign)(void **Result, size_t Align, size_t Size) {
  *Result = take(Size, Align);
  return 0;
}
API void *M(valloc)(size_t Size) { return take(Size, 4096); }
API void *M(pvalloc)(size_t Size) { return take(Size, 4096); }
#ifdef __cplusplus
API void *M(_Znwm)(size_t Size) { return take(Size, 8); }
API void *M(_Znam)(size_t Size) { return take(Size, 8); }
API void *M(_ZnwmRKSt9nothrow_t)(size_t Size, void *) { return take(Size, 8); }
API void *M(_ZnamRKSt9nothrow_t)(size_t Size, void *) { return take(Size, 8); }
API void *M(_ZnwmSt11align_val_t)(size_t Size, size_t Align) { return take(Size, Align); }
API void *M(_ZnamSt11align_val_t)(size_t Size, size_t Align) { return take(Size, Align); }
API void M(_ZdlPv)(void *P) { give(P); }
API void M(_ZdaPv)(void *P) { give(P); }
API void M(_ZdlPvm)(void *P, size_t) { give(P); }
API void M(_ZdaPvm)(void *P, size_t) { give(P); }
API void M(_ZdlPvSt11align_val_t)(void *P, size_t) { give(P); }
API void M(_ZdaPvSt11align_val_t)(void *P, size_t) { give(P); }
API void M(_ZdlPvmSt11align_val_t)(void *P, size_t, size_t) { give(P); }
API void M(_ZdaPvmSt11align_val_t)(void *P, size_t, size_t) { give(P); }
}
#endif
