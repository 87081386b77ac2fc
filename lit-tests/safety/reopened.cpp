// Intent: a library that is closed stays readable in the trace; opened again and again it does not
// fill it; and code that comes to lie where other code lay is not taken for that.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 -fPIC -shared -DLIBRARY %s -Wl,--build-id -o %t.so
// RUN: %clang -O0 -x c -fPIC -shared -DPLAIN=first %s -Wl,--build-id -o %t.first.so
// RUN: %clang -O0 -x c -fPIC -shared -DPLAIN=second %s -Wl,--build-id -o %t.second.so
// RUN: %inmem-clangxx -O1 %s -o %t.exe
// RUN: %record %t.json -- %t.exe %t.so %t.first.so %t.second.so
// RUN: %expect %t.json 'types["Inside"].allocations == 300' 'types["Inside"].live_allocations == 50' \
// RUN:   'types["Inside"].objects.constructed.heap == 300' 'len(types["Inside"].sites) == 1' \
// RUN:   'types["Inside"].sites[0].function.startswith("work")' 'types["Inside"].sites[0].line > 20' \
// RUN:   'sum(site.allocations for site in sites if site.function == "first") == 1' \
// RUN:   'sum(site.allocations for site in sites if site.function == "second") == 1'
// RUN: %inmem dump %t.json.inmem | grep -c 'name="Inside"' | %FileCheck %s
// CHECK: {{^}}1{{$}}

// The same for a library that is not instrumented.
// RUN: %record %t.json -- %t.exe %t.first.so %t.first.so %t.second.so first
// RUN: %expect %t.json 'sum(site.allocations for site in sites if site.function == "first") == 51' \
// RUN:   'sum(site.allocations for site in sites if site.function == "second") == 1'
// RUN: %inmem dump %t.json.inmem | grep -c 'site id=.*function="first"' | %FileCheck %s

// The same where the loader puts it elsewhere each time.
// RUN: %record %t.json -- %t.exe %t.so %t.first.so %t.second.so elsewhere
// RUN: %expect %t.json 'types["Inside"].allocations == 300' 'len(types["Inside"].sites) == 1' \
// RUN:   'sum(site.allocations for site in sites if site.function == "first") == 1' \
// RUN:   'sum(site.allocations for site in sites if site.function == "second") == 1'
// RUN: %inmem dump %t.json.inmem | grep -c 'module id=.*reopened.cpp.tmp.so' | %FileCheck %s
// RUN: %inmem dump %t.json.inmem | grep -c 'site id=.*function="work"' | %FileCheck %s

// Another library that counts as much does not count as the one that was closed before it.
// RUN: %inmem-clangxx -O1 -fPIC -shared -DLIBRARY -DInside=Other %s -Wl,--build-id -o %t.other.so
// RUN: %record %t.json -- %t.exe %t.so %t.first.so %t.second.so also %t.other.so
// RUN: %expect %t.json 'types["Inside"].objects.constructed.heap == 300' \
// RUN:   'types["Other"].objects.constructed.heap == 6' 'types["Other"].allocations == 6'

#ifdef PLAIN
#include <stdlib.h>
void *PLAIN(void) { return malloc(100); }
#else
#include <cstdio>
#include <dlfcn.h>
#include <sys/mman.h>

struct Inside {
  Inside() : value{1} {}
  double value[3];
};
static Inside *volatile Sink;

#ifdef LIBRARY
extern "C" void work() {
  for (int i = 0; i < 6; ++i) {
    Inside *one = new Inside;
    Sink = one;
    if (i < 5)
      delete one;
  }
}
#else
static void call(const char *path, const char *name, bool keepPlace = false) {
  void *library = dlopen(path, RTLD_NOW);
  if (!library) {
    std::puts(dlerror());
    return;
  }
  void *code = dlsym(library, name);
  reinterpret_cast<void (*)()>(code)();
  Dl_info info;
  dladdr(code, &info);
  dlclose(library);
  if (keepPlace)
    mmap(info.dli_fbase, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

int main(int argc, char **argv) {
  for (int i = 0; i < 50; ++i)
    call(argv[1], argc > 4 && argv[4][0] == 'f' ? "first" : "work", /*keepPlace=*/argc > 4 && argv[4][0] == 'e');
  if (argc > 5)
    call(argv[5], "work");
  call(argv[2], "first");
  call(argv[3], "second"); // the loader puts it where the first one lay
}
#endif
#endif
