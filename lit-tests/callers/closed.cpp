// Intent: a library that calls the C++ library, is closed, and gives its addresses to another one: each has its own lines.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O2 -fno-inline -fPIC -shared -DLIBRARY -DLINE=100 %s -o %t.one.so
// RUN: %inmem-clangxx -O2 -fno-inline -fPIC -shared -DLIBRARY -DLINE=200 %s -o %t.two.so
// RUN: %inmem-clangxx -O1 %s -o %t.exe -ldl
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem %t.exe %t.one.so %t.two.so
// RUN: %inmem report %t.inmem --format json > %t.json && %python %S/Inputs/lines.py %t.json library.h | %FileCheck %s
// CHECK: whole
// CHECK-NEXT: line 100: 15
// CHECK-NEXT: line 200: 15
// CHECK-NOT: line
#ifdef LIBRARY
#include <vector>
extern "C" __attribute__((noinline)) void work(int N) {
  std::vector<short> V;
#line LINE "library.h"
  V.reserve(static_cast<unsigned>(N));
  asm volatile("" ::"r"(&V) : "memory");
}
#else
#include <dlfcn.h>
int main(int, char **Files) {
  for (int Round = 0; Round < 5; ++Round)
    for (int I = 1; I < 3; ++I) {
      void *Library = dlopen(Files[I], RTLD_NOW);
      if (!Library)
        return 1;
      auto *Work = reinterpret_cast<void (*)(int)>(dlsym(Library, "work"));
      for (int N = 1; N < 4; ++N)
        Work(N);
      dlclose(Library);
    }
}
#endif
