// Intent: plugins that are instrumented in hosts that are not and the other way round, loaded in any
// way, linked in any way: what instrumented code makes is counted, whoever frees it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -O0 -fPIC -shared -DPLUGIN %s -o %t.plugin.so
// RUN: %clang -O0 -fPIC -shared -DPLUGIN %s -o %t.plain.so
// RUN: %clang -O0 %s -o %t.host
// RUN: %inmem-clang -O0 %s -o %t.exe
// RUN: %inmem-clang -O0 -Wl,-z,now %s -o %t.now
// RUN: %inmem-clang -O2 -flto -fuse-ld=lld %s -o %t.lto
// RUN: sh -c 'for how in local global deepbind; do for host in host exe now lto; do \
// RUN:   %record %t.$host.$how.json -- %t.$host %t.plugin.so $how || exit 1; \
// RUN:   %expect %t.$host.$how.json '\''(types["Thing"].allocations, types["Thing"].frees) == (10, 7)'\'' || exit 1; done; done'
// The host's own are counted where it is instrumented.
// RUN: %expect %t.exe.local.json '(types["Own"].allocations, types["Own"].frees) == (5, 4)'
// RUN: %expect %t.now.global.json '(types["Own"].allocations, types["Own"].frees) == (5, 4)'
// RUN: %expect %t.lto.deepbind.json '(types["Own"].allocations, types["Own"].frees) == (5, 4)'
// A plugin without instrumentation in an instrumented host: by its symbol.
// RUN: %record %t.json -- %t.exe %t.plain.so local
// RUN: %expect %t.json 'sum(site.allocations for site in sites if site.function == "make") == 10' '(types["Own"].allocations, types["Own"].frees) == (5, 4)'
// RUN: %record %t.json -- %t.exe %t.plain.so deepbind
// RUN: %expect %t.json '(types["Own"].allocations, types["Own"].frees) == (5, 4)'

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Thing {
  long values[4];
} Thing;
typedef struct Own {
  long values[6];
} Own;

#ifdef PLUGIN
void *make(void) {
  Thing *one = malloc(sizeof(Thing));
  return one;
}
#else
int main(int argc, char **argv) {
  int flags = RTLD_NOW;
  if (!strcmp(argv[2], "global"))
    flags |= RTLD_GLOBAL;
  if (!strcmp(argv[2], "deepbind"))
    flags |= RTLD_DEEPBIND;
  void *library = dlopen(argv[1], flags);
  if (!library)
    return puts(dlerror());
  void *(*make)(void) = (void *(*)(void))dlsym(library, "make");
  static void *volatile made;
  for (int i = 0; i < 10; ++i) {
    made = make();
    if (i < 7)
      free(made);
  }
  for (int i = 0; i < 5; ++i) {
    Own *own = malloc(sizeof(Own));
    made = own;
    if (i < 4)
      free(made);
  }
  dlclose(library);
  return argc - 3;
}
#endif
