// Intent: contexts=on in some units only, in a library that is loaded and unloaded, in a static program and
// through LTO: no stack is taken for another. What has no contexts in between is known by words.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: rm -rf %t && mkdir %t
// RUN: %inmem-clangxx -O2 -fPIC -fplugin-arg-inmem-contexts=on -DPLUGIN -shared %s -o %t/plugin.so
// RUN: %inmem-clangxx -O2 -fPIC -DPLUGIN -shared %s -o %t/plain.so
// RUN: %inmem-clangxx -O2 -fplugin-arg-inmem-contexts=on -c %s -o %t/main.o
// RUN: %inmem-clangxx -O2 -DOTHER -c %s -o %t/other.o
// RUN: %inmem-clangxx %t/main.o %t/other.o -o %t/mixed.exe
// RUN: env INMEM_OPTIONS=output=none:stacks=32:check_stacks=on %t/mixed.exe %t/plugin.so %t/plain.so 2>&1 | %FileCheck %s

// RUN: %inmem-clangxx -O2 -DOTHER -fplugin-arg-inmem-contexts=on -c %s -o %t/both.o
// RUN: %inmem-clangxx -static %t/main.o %t/both.o -o %t/static.exe
// RUN: env INMEM_OPTIONS=output=none:stacks=32:check_stacks=on %t/static.exe 2>&1 | %FileCheck %s

// RUN: %inmem-clangxx -O2 -flto -fuse-ld=lld -fplugin-arg-inmem-contexts=on -c %s -o %t/lto.o
// RUN: %inmem-clangxx -O2 -flto -fuse-ld=lld -DOTHER -fplugin-arg-inmem-contexts=on -c %s -o %t/lto2.o
// RUN: %inmem-clangxx -O2 -flto -fuse-ld=lld %t/lto.o %t/lto2.o -o %t/lto.exe
// RUN: env INMEM_OPTIONS=output=none:stacks=32:check_stacks=on %t/lto.exe 2>&1 | %FileCheck %s

// RUN: %inmem-clangxx -O2 -flto=thin -fuse-ld=lld -fplugin-arg-inmem-contexts=on -c %s -o %t/thin.o
// RUN: %inmem-clangxx -O2 -flto=thin -fuse-ld=lld -DOTHER -c %s -o %t/thin2.o
// RUN: %inmem-clangxx -O2 -flto=thin -fuse-ld=lld %t/thin.o %t/thin2.o -o %t/thin.exe
// RUN: env INMEM_OPTIONS=output=none:stacks=32:check_stacks=on %t/thin.exe 2>&1 | %FileCheck %s

// CHECK: known by context {{[0-9][0-9][0-9][0-9]+}}, by words {{[0-9]+}}, walked {{[0-9]+}}, wrong 0{{$}}
#include <cstddef>
#include <cstdlib>

#define KEPT __attribute__((noinline))
using Callback = void (*)(int);
void callTwice(Callback F, int I);
void callSometimes(Callback F, Callback Then, int I);
void maybeJump(Callback F, int I);

#if defined(OTHER)
// Neither of these stores where it has no contexts.
KEPT void within(Callback F, int I) {
  F(I);
  asm volatile("");
}
void callTwice(Callback F, int I) {
  F(I);
  within(F, I + 1);
  F(I + 2);
}
void callSometimes(Callback F, Callback Then, int I) {
  if (I % 3)
    F(I);
  if (I % 2)
    Then(I);
  within(Then, I);
}
// A jump on one way, two calls on the other.
void maybeJump(Callback F, int I) {
  if (I % 2)
    return F(I);
  F(I);
  F(I + 1);
}
#elif defined(PLUGIN)
static void *volatile Kept;
extern "C" KEPT void *makeInPlugin(size_t Size) {
  Kept = malloc(Size);
  return Kept;
}
extern "C" void plugin(int I) {
  free(makeInPlugin(static_cast<size_t>(I % 5 + 1)));
  free(makeInPlugin(static_cast<size_t>(I % 3 + 1)));
}
#else
#include <dlfcn.h>
static void *volatile Kept;
KEPT void leaf(size_t Size) {
  Kept = malloc(Size);
  free(Kept);
}
KEPT void first(int I) {
  leaf(static_cast<size_t>(I % 4 + 1));
  asm volatile("");
}
KEPT void second(int I) {
  first(I);
  leaf(8);
  asm volatile("");
}
KEPT void through(Callback F, int I) {
  F(I);
  asm volatile("");
}
KEPT void again(Callback F, int I) {
  if (I > 0) {
    callTwice(F, I);
    again(F, I - 1);
  }
  leaf(16);
}
KEPT void load(const char *Path, int Times) {
  void *Library = dlopen(Path, RTLD_NOW);
  auto *F = Library ? reinterpret_cast<Callback>(dlsym(Library, "plugin"))
                    : nullptr;
  for (int I = 0; F && I < Times; ++I)
    F(I);
  if (Library)
    dlclose(Library);
}
int main(int Argc, char **Argv) {
  for (int I = 0; I < 1000; ++I) {
    callTwice(first, I);
    callTwice(second, I);
    callSometimes(first, second, I);
    callSometimes(second, first, I);
    maybeJump(first, I);
    maybeJump(second, I);
    // One call, of functions with contexts and without.
    through(I % 2 ? first : second, I);
    again(first, I % 6);
    second(I);
  }
  for (int I = 0; I < 30; ++I)
    for (int A = 1; A < Argc; ++A)
      load(Argv[A], 50);
}
#endif
