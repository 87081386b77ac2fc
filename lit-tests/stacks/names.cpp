// Intent: names of functions that no file exports get into the trace itself, when the process ends or
// flushes: a report needs neither program nor library. They are there for a library that was closed,
// in static programs, and, with `inmem symbolize` while the program is still at hand, after a kill.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %inmem-clangxx -O1 -fno-inline -DLIBRARY -shared -fPIC %s -o plugin.so
// RUN: %inmem-clangxx -O1 -fno-inline -I%include %s -o app -ldl
// RUN: env INMEM_OPTIONS=output=ended.inmem:stacks=16 ./app ./plugin.so
// RUN: env INMEM_OPTIONS=output=flushed.inmem:stacks=16 %not --crash ./app ./plugin.so flush
// RUN: env INMEM_OPTIONS=output=killed.inmem:stacks=16 %not --crash ./app ./plugin.so kill
// RUN: %inmem-clangxx -O1 -fno-inline -static -DALONE -I%include %s -o static
// RUN: env INMEM_OPTIONS=output=static.inmem:stacks=16 ./static
// RUN: %inmem-clangxx -O1 -fno-inline -static-pie -DALONE -I%include %s -o static-pie
// RUN: env INMEM_OPTIONS=output=static-pie.inmem:stacks=16 ./static-pie
// RUN: cp killed.inmem symbolized.inmem && %inmem symbolize symbolized.inmem
// RUN: %inmem flame --format folded --metric count killed.inmem | %FileCheck %s
// RUN: rm app plugin.so static static-pie
// RUN: %inmem flame --format folded --metric count ended.inmem | %FileCheck %s
// RUN: %inmem flame --format folded --metric count flushed.inmem | %FileCheck %s
// RUN: %inmem flame --format folded --metric count symbolized.inmem | %FileCheck %s
// RUN: %inmem flame --format folded --metric count static.inmem | %FileCheck %s --check-prefix=STATIC
// RUN: %inmem flame --format folded --metric count static-pie.inmem | %FileCheck %s --check-prefix=STATIC
// RUN: %inmem flame --format folded --metric count killed.inmem | %FileCheck %s --check-prefix=NONE
// CHECK-DAG: {{^}}main;hidden;make;Foo 3{{$}}
// CHECK-DAG: {{^}}main;entry;inPlugin;makeThere;Foo 2{{$}}
// STATIC: {{^}}main;hidden;make;Foo 3{{$}}
// NONE-NOT: hidden
// RUN: %inmem report --diagnostics ended.inmem 2>&1 >/dev/null | %FileCheck %s --check-prefix=VERIFIED
// VERIFIED: 0 diagnostics of the reader, 0 of the verifier
// RUN: %inmem dump ended.inmem > ended.txt && %assemble -o again.inmem ended.txt
// RUN: %inmem flame --format folded --metric count again.inmem | %FileCheck %s

struct Foo {
  int values[10];
};

#ifdef LIBRARY
Foo *makeThere() { return new Foo; }
static void inPlugin() {
  delete makeThere();
  asm volatile("");
}
extern "C" void entry() {
  inPlugin();
  asm volatile("");
}
#else
#include <dlfcn.h>
#include <inmem/inmem.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

Foo *make() { return new Foo; }
static void hidden() {
  delete make();
  asm volatile("");
}

int main(int argc, char **argv) {
  for (int i = 0; i < 3; ++i)
    hidden();
#ifndef ALONE
  void *library = dlopen(argv[1], RTLD_NOW);
  auto entry = reinterpret_cast<void (*)()>(dlsym(library, "entry"));
  for (int i = 0; i < 2; ++i)
    entry();
  dlclose(library);
  if (argc > 2 && strcmp(argv[2], "flush") == 0)
    inmem_flush();
  if (argc > 2)
    kill(getpid(), SIGKILL);
#endif
}
#endif
