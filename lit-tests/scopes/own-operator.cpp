// Intent: a budget does not refuse a block of an operator new that a library keeps to itself: only that library knows how to
// give it back. The excess is reported at the budget's end. Operators in another unit and in the same, -O0 and -O2.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: printf '{ global: limited; local: *; };\n' > %t.map
// RUN: %clangxx -std=c++20 -O2 -fPIC -DOWN -c %s -o %t.own.o
// RUN: %clangxx -O2 -DHOST %s -o %t.host
// RUN: %if all-tiers %{ %inmem-clangxx -std=c++20 -O0 -shared -fPIC -DUSER %s %t.own.o -Wl,--version-script=%t.map -o %t.O0.so %}
// RUN: %if all-tiers %{ env INMEM_OPTIONS=output=%t.inmem %t.host %t.O0.so 2>&1 | %FileCheck %s %}
// RUN: %inmem-clangxx -std=c++20 -O2 -shared -fPIC -DUSER %s %t.own.o -Wl,--version-script=%t.map -o %t.O2.so
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.host %t.O2.so 2>&1 | %FileCheck %s
// RUN: %if all-tiers %{ %inmem-clangxx -std=c++20 -O2 -shared -fPIC -DOWN -DUSER %s -Wl,--version-script=%t.map -o %t.one.so %}
// RUN: %if all-tiers %{ env INMEM_OPTIONS=output=%t.inmem %t.host %t.one.so 2>&1 | %FileCheck %s %}
// CHECK: at its end: {{.*}}Item
// CHECK-NEXT: 6 of 6 from the pool
// CHECK-NEXT: refused: malloc's own
// CHECK-NEXT: exit 0
#ifdef HOST
#include <dlfcn.h>
#include <stdio.h>
int main(int, char **Argv) {
  void *Library = dlopen(Argv[1], RTLD_NOW);
  if (!Library)
    return puts(dlerror()), 1;
  printf("exit %d\n", reinterpret_cast<int (*)()>(dlsym(Library, "limited"))());
}
#else
#include <cstddef>
#include <new>
bool isPooled(const void *);
#ifdef OWN
alignas(16) static char Pool[1 << 16];
static size_t Used;
bool isPooled(const void *P) { return P >= Pool && P < Pool + sizeof Pool; }
void *operator new(size_t Size) {
  void *P = Pool + Used;
  Used += (Size + 15) & ~size_t{15};
  if (Used > sizeof Pool)
    throw std::bad_alloc();
  return P;
}
void operator delete(void *) noexcept {}
void operator delete(void *, size_t) noexcept {}
#endif
#ifdef USER
#include <cstdio>
#include <inmem/scope.h>
#include <thread>

struct Item {
  long A[4];
};

__attribute__((noinline)) static Item *make() { return new Item; }

static int pooled() {
  int Pooled = 0;
  for (int I = 0; I < 3; ++I) {
    Item *One = make();
    Pooled += isPooled(One);
    delete One;
  }
  return Pooled;
}

extern "C" int limited() {
  int Pooled = 0;
  try {
    inmem::AllocationBudget Budget{.bytes = 40};
    Pooled += pooled();
    Budget.check();
  } catch (const inmem::budget_exceeded &E) {
    std::printf("at its end: %s\n", E.what());
  }
  Pooled += pooled();
  std::printf("%d of 6 from the pool\n", Pooled);
  // A block of the usual operator is refused as before.
  try {
    inmem::AllocationBudget Budget{.bytes = 40};
    for (int I = 0; I < 3; ++I)
      ::operator delete[](::operator new[](32));
  } catch (const inmem::budget_exceeded &) {
    std::puts("refused: malloc's own");
  }
  std::fflush(stdout);
  return 0;
}
#endif
#endif
