// Intent: a library keeps its operators new and delete, compiled without inmem, to itself: code of the library that is instrumented calls them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: printf '{ global: pooled; local: *; };\n' > %t.map
// RUN: %clangxx -O2 -fPIC -DOWN -c %s -o %t.own.o && %clang %S/Inputs/library-host.c -o %t.host
// RUN: %inmem-clangxx -O2 -fPIC -c %s -o %t.o && %inmem-clangxx -shared %t.o %t.own.o -Wl,--version-script=%t.map -o %t.so
// RUN: %record %t.json -- %t.host %t.so > %t.txt && echo 352 | diff - %t.txt
// RUN: %expect %t.json 'types["Item"].allocations == 1' 'types["Item"].frees == 1'
// RUN: env INMEM_OPTIONS=mode=off %t.host %t.so | diff %t.txt -
// RUN: rm -f %t.a && ar rc %t.a %t.own.o && %inmem-clangxx -shared %t.o %t.a -Wl,--exclude-libs,ALL -o %t.so
// RUN: %record %t.json -- %t.host %t.so | diff %t.txt -
// RUN: %expect %t.json 'types["Item"].allocations == 1' 'types["Item"].frees == 1'
#include <cstddef>
#include <new>
struct Item {
  long A[4];
};
Item *make();
size_t used();
#ifdef OWN
alignas(16) static char Pool[1 << 20];
static size_t Used;
size_t used() { return Used; }
void *operator new(size_t Size) {
  void *P = Pool + Used;
  Used += (Size + 15) & ~size_t{15};
  if (Used > sizeof Pool)
    throw std::bad_alloc();
  return P;
}
void operator delete(void *) noexcept {}
void operator delete(void *, size_t) noexcept {}
Item *make() { return new Item; }
#else
extern "C" size_t pooled() {
  for (int I = 0; I < 10; ++I)
    delete make();
  Item *P = new Item;
  asm volatile("" ::"r"(P) : "memory");
  delete P;
  return used();
}
#endif
