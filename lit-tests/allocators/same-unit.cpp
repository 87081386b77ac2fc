// Intent: an allocator that is defined where it is called, as a pool or over the next malloc, is neither inlined away nor dropped; with operator new beside it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DEFINE: %{right} = 'types["Record"].allocations == 50' 'types["Record"].live_allocations == 0' 'types["int"].allocations == 1' 'types["Node"].allocations == 20'
// RUN: %inmem-clangxx -O0 %s -o %t && %record %t.json -- %t && %expect %t.json %{right}
// RUN: %inmem-clangxx -O2 %s -o %t && %record %t.json -- %t && %expect %t.json %{right}
// RUN: %if all-tiers %{ %inmem-clangxx -O2 -flto -fuse-ld=lld %s -o %t && %record %t.json -- %t && %expect %t.json %{right} %}
// RUN: %inmem-clangxx -O2 -DNEXT %s -o %t && %record %t.json -- %t && %expect %t.json %{right}
// RUN: %if all-tiers %{ %inmem-clangxx -O0 -DNEXT %s -o %t && %record %t.json -- %t && %expect %t.json %{right} %}
// A class that needs no allocation is still optimised away, as in the plain build.
// RUN: %clangxx -O2 %s -o %t.plain && %t.plain print > %t.txt && %inmem-clangxx -O2 %s -o %t && env INMEM_OPTIONS=output=none %t print | diff %t.txt -
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <vector>
static size_t Calls;
extern "C" {
#ifdef NEXT
static void *(*NextMalloc)(size_t);
static void (*NextFree)(void *);
static char Early[1 << 16];
static size_t EarlyUsed;
void *malloc(size_t Size) noexcept {
  ++Calls;
  if (!NextMalloc) {
    NextMalloc = reinterpret_cast<void *(*)(size_t)>(dlsym(RTLD_NEXT, "malloc"));
    NextFree = reinterpret_cast<void (*)(void *)>(dlsym(RTLD_NEXT, "free"));
  }
  return NextMalloc(Size);
}
void free(void *P) noexcept {
  if (P && !(P >= Early && P < Early + sizeof Early))
    NextFree(P);
}
void *calloc(size_t Count, size_t Size) noexcept {
  if (!NextMalloc) { // for dlsym
    void *P = Early + EarlyUsed;
    EarlyUsed += (Count * Size + 15) & ~size_t{15};
    return P;
  }
  void *P = malloc(Count * Size);
  return P ? memset(P, 0, Count * Size) : P;
}
#else
alignas(16) static char Pool[1 << 22];
static size_t Used;
void *malloc(size_t Size) noexcept {
  ++Calls;
  void *P = Pool + Used;
  Used += (Size + 15) & ~size_t{15};
  return P;
}
void free(void *) noexcept {}
void *calloc(size_t Count, size_t Size) noexcept { return malloc(Count * Size); }
void *realloc(void *, size_t Size) noexcept { return malloc(Size); }
#endif
}
void *operator new(size_t Size) { return malloc(Size); }
void operator delete(void *P) noexcept { free(P); }
void operator delete(void *P, size_t) noexcept { free(P); }
struct Record {
  int A[8];
};
struct Node {
  long A[2];
};
Record *volatile K;
Node *volatile N;
int main(int Count, char **) {
  const size_t Before = Calls;
  for (int I = 0; I < 50; ++I) {
    auto *R = static_cast<Record *>(malloc(sizeof(Record)));
    K = R;
    free(R);
  }
  for (int I = 0; I < 20; ++I) {
    N = new Node;
    delete N;
    delete new long(I);
  }
  std::vector<int> V(100);
  K = reinterpret_cast<Record *>(V.data());
  if (Count > 1)
    printf("%zu\n", Calls - Before);
  return 0;
}
