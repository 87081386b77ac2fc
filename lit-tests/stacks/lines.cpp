// Intent: files, lines and inlined calls get into the trace itself, when the program ends, flushes or
// becomes another: reports then need neither program nor library nor source, and show what `inmem
// symbolize` would have found. They are there for a library that was closed, in static programs, for
// every form of debug information; never for a file that was replaced; and `lines_mib=0` leaves them out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: rm -rf %t && mkdir %t && cd %t && cp %s source.cpp
// RUN: %inmem-clangxx -g -O1 -Wl,--build-id -DLIBRARY -shared -fPIC source.cpp -o plugin.so
// RUN: %inmem-clangxx -g -O1 -Wl,--build-id -I%include source.cpp -o app -ldl
// RUN: env INMEM_OPTIONS=output=ended.inmem:stacks=16 ./app ./plugin.so
// RUN: env INMEM_OPTIONS=output=flushed.inmem:stacks=16 %not --crash ./app ./plugin.so flush
// RUN: env INMEM_OPTIONS=output=execed.inmem:stacks=16 ./app ./plugin.so exec
// RUN: env INMEM_OPTIONS=output=off.inmem:stacks=16:lines_mib=0 ./app ./plugin.so
// RUN: env INMEM_OPTIONS=output=small.inmem:stacks=16:lines_mib=1 ./app ./plugin.so
// RUN: env INMEM_OPTIONS=output=killed.inmem:stacks=16 %not --crash ./app ./plugin.so kill
// RUN: cp off.inmem completed.inmem && %inmem symbolize completed.inmem && %inmem symbolize killed.inmem
// RUN: cp ended.inmem again.inmem && %inmem symbolize again.inmem
// RUN: %inmem-clangxx -g -O1 -static -DALONE -I%include source.cpp -o static
// RUN: env INMEM_OPTIONS=output=static.inmem:stacks=16 ./static
// RUN: env INMEM_OPTIONS=output=static-off.inmem:stacks=16:lines_mib=0 ./static && %inmem symbolize static-off.inmem
// A program may have the library that the runtime reads lines with, too.
// RUN: sh -c 'own=$(%clangxx -print-file-name=libbacktrace.a); test -e "$own" || own=; \
// RUN:   %inmem-clangxx -g -O1 -static -DALONE -I%include source.cpp ${own:+-Wl,--whole-archive $own -Wl,--no-whole-archive} -o both'
// RUN: env INMEM_OPTIONS=output=both.inmem:stacks=16 ./both
// RUN: %inmem-clangxx -g -O1 -static-pie -DALONE -I%include source.cpp -o static-pie
// RUN: env INMEM_OPTIONS=output=static-pie.inmem:stacks=16 ./static-pie
// RUN: %inmem-clangxx -gline-tables-only -O1 -DALONE -I%include source.cpp -o tables
// RUN: env INMEM_OPTIONS=output=tables.inmem:stacks=16 ./tables
// RUN: %inmem-clangxx -g -gdwarf-4 -gz -O1 -DALONE -I%include source.cpp -o packed
// RUN: env INMEM_OPTIONS=output=packed.inmem:stacks=16 ./packed
// RUN: rm source.cpp app plugin.so static both static-pie tables packed

// RUN: env INMEM_BUILD=%buildroot %python %S/Inputs/same_stacks.py ended.inmem flushed.inmem execed.inmem small.inmem \
// RUN:   completed.inmem killed.inmem again.inmem
// RUN: env INMEM_BUILD=%buildroot %python %S/Inputs/same_stacks.py static.inmem static-off.inmem
// RUN: %inmem report --diagnostics --by stack --lines --top 0 ended.inmem 2>&1 | %FileCheck %s --check-prefixes=LINES,LIBRARY
// RUN: %inmem report --by stack --lines --top 0 static.inmem | %FileCheck %s --check-prefix=LINES
// RUN: %inmem report --by stack --lines --top 0 both.inmem | %FileCheck %s --check-prefix=LINES
// RUN: %inmem report --by stack --lines --top 0 static-pie.inmem | %FileCheck %s --check-prefix=LINES
// RUN: %inmem report --by stack --lines --top 0 tables.inmem | %FileCheck %s --check-prefix=LINES
// RUN: %inmem report --by stack --lines --top 0 packed.inmem | %FileCheck %s --check-prefix=LINES
// LIBRARY: 0 diagnostics of the reader, 0 of the verifier
// LINES-DAG: main {{.*}}source.cpp:[[#MAIN:]]{{$}}
// LINES-DAG: hidden {{.*}}source.cpp:[[#FIRST:]]{{$}}
// LINES-DAG: {{(Outer::)?}}inlined {{.*}}source.cpp:[[#FIRST-3]] (inlined)
// LIBRARY-DAG: entry {{.*}}source.cpp:
// LIBRARY-DAG: Inside::inlined {{.*}}source.cpp:{{[0-9]+}} (inlined)
// RUN: %inmem report --by stack --lines --top 0 off.inmem | %FileCheck %s --check-prefix=OFF
// OFF: hidden
// OFF-NOT: hidden {{.*}}source.cpp:[[#]]{{$}}

// Replaced by another build meanwhile: its lines are not taken for this one's.
// RUN: cp %s source.cpp && %inmem-clangxx -g -O1 -Wl,--build-id -I%include source.cpp -o app -ldl
// RUN: sed "s/^struct Foo/\n\nstruct Foo/" source.cpp > other.cpp
// RUN: %inmem-clangxx -g -O1 -Wl,--build-id -I%include other.cpp -o other -ldl
// RUN: env INMEM_OPTIONS=output=replaced.inmem:stacks=16 ./app other replace
// RUN: %not ls other && rm app
// RUN: %inmem dump replaced.inmem | %FileCheck %s --check-prefix=REPLACED
// REPLACED: address id=1
// REPLACED-NOT: frame function="main"
// REPLACED-NOT: hidden

// More debug information than memory, and memory refused: the program ends as ever, with names.
// RUN: %clang -c -DMIB=64 %inputs/large-debug.S -o large.o && %inmem-clangxx -g -O1 -I%include source.cpp large.o -o large -ldl
// RUN: env INMEM_OPTIONS=output=beyond.inmem:stacks=16:lines_mib=16 ./large large
// RUN: env INMEM_OPTIONS=output=refused.inmem:stacks=16 sh -c './large large refuse; test $? = 7'
// RUN: env INMEM_OPTIONS=output=large.inmem:stacks=16 ./large large
// RUN: rm large large.o source.cpp
// RUN: %inmem report --by stack --lines --top 0 beyond.inmem | %FileCheck %s --check-prefix=OFF
// RUN: %inmem report --by stack --lines --top 0 refused.inmem | %FileCheck %s --check-prefix=OFF
// RUN: %inmem report --by stack --lines --top 0 large.inmem | %FileCheck %s --check-prefix=LINES

struct Foo {
  int values[10];
};

#ifdef LIBRARY
__attribute__((noinline)) Foo *makeThere() { return new Foo; }
struct Inside {
  static void inlined() { delete makeThere(); }
};
extern "C" void entry() {
  Inside::inlined();
  asm volatile("");
}
#else
#include <dlfcn.h>
#include <inmem/inmem.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

__attribute__((noinline)) Foo *make() { return new Foo; }
struct Outer {
  static void inlined() { delete make(); }
};
__attribute__((noinline)) static void hidden() {
  Outer::inlined();
  asm volatile("");
}

#ifndef ALONE
static bool leaveOnlySomeAddresses() {
  unsigned long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%lu", &pages) != 1)
    return false;
  const rlimit limit = {(pages << 12) + (12 << 20), RLIM_INFINITY};
  return setrlimit(RLIMIT_AS, &limit) == 0;
}
#endif

int main(int argc, char **argv) {
  for (int i = 0; i < 3; ++i)
    hidden();
#ifndef ALONE
  const char *then = argc > 2 ? argv[2] : "";
  if (strcmp(then, "replace") == 0)
    return rename(argv[1], argv[0]) != 0;
  if (strcmp(then, "refuse") == 0)
    return leaveOnlySomeAddresses() ? 7 : 1;
  if (strcmp(argv[1], "large") == 0)
    return 0;
  void *library = dlopen(argv[1], RTLD_NOW);
  auto entry = reinterpret_cast<void (*)()>(dlsym(library, "entry"));
  for (int i = 0; i < 2; ++i) {
    entry();
    if (strcmp(then, "flush") == 0)
      inmem_flush();
  }
  dlclose(library);
  if (strcmp(then, "exec") == 0)
    execl("/bin/true", "true", nullptr);
  if (argc > 2) {
    if (strcmp(then, "flush") == 0)
      inmem_flush();
    kill(getpid(), SIGKILL);
  }
#endif
}
#endif
