// Intent: instrumented libraries, linked and opened at run time, opened again after they
// were closed; the same type in all of them is one row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O2 -fPIC -shared -DLIBRARY %s -o %t.so
// RUN: %inmem-clangxx -O2 %s -o %t.exe
// RUN: %record %t.json -- %t.exe %t.so
// RUN: %expect %t.json 'types["Shared"].allocations == 1 + 3 * 10' 'types["Shared"].frees == 31' 'len([row for row in typed if row.type == "Shared"]) == 1'

#include <dlfcn.h>
#include <cstdio>

struct Shared {
  double value[3];
};
static Shared *volatile Sink;

#ifdef LIBRARY
extern "C" void work() {
  for (int i = 0; i < 10; ++i) {
    Shared *shared = new Shared;
    Sink = shared;
    delete shared;
  }
}
#else
int main(int, char **argv) {
  for (int i = 0; i < 3; ++i) {
    void *library = dlopen(argv[1], RTLD_NOW);
    if (!library)
      return std::puts(dlerror()), 1;
    reinterpret_cast<void (*)()>(dlsym(library, "work"))();
    dlclose(library);
  }
  Shared *own = new Shared;
  Sink = own;
  delete own;
}
#endif
