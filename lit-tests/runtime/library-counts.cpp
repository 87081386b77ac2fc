// Intent: what a library counted stays when it is closed: objects, also of threads that are over but for the destructors
// of their keys, and each of two sites that have all but the file in common, also when the library is opened again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 -fPIC -DLIBRARY=1 -c %s -o %t.1.o
// RUN: %inmem-clangxx -O1 -fPIC -DLIBRARY=2 -c %s -o %t.2.o
// RUN: %inmem-clangxx -shared %t.1.o %t.2.o -o %t.so
// RUN: %inmem-clangxx -O1 -pthread %s -o %t.exe
// RUN: %record %t.json -- %t.exe %t.so
// RUN: %expect %t.json 'types["Local"].objects.constructed.stack == 2 * (5 + 4)' 'types["Local"].objects.destroyed == 2 * (5 + 4)' \
// RUN:   'sorted((site.file, site.line, site.allocations) for site in types["Block"].sites) == [("one.cpp", 10, 2), ("two.cpp", 10, 4)]'

#include <dlfcn.h>
#include <pthread.h>

#ifdef LIBRARY
struct Local {
  __attribute__((noinline)) Local() { asm volatile(""); }
  ~Local() {}
};
struct Block {
  int n[5];
};
static Block *volatile Sink;
#if LIBRARY == 1
#line 10 "one.cpp"
__attribute__((noinline)) static void make() { Sink = new Block; }
#else
#line 10 "two.cpp"
__attribute__((noinline)) static void make() { Sink = new Block; }
#endif
#if LIBRARY == 1
static pthread_key_t Key;
static void again(void *value) {
  Local local;
  pthread_setspecific(Key, value); // 4 times in all
}
extern "C" void *makeLocals(void *) {
  pthread_key_create(&Key, again);
  pthread_setspecific(Key, &Key);
  for (int i = 0; i < 5; ++i)
    Local local;
  return nullptr;
}
extern "C" void makeOne() { make(); }
#else
extern "C" void makeTwo() { make(), make(); }
#endif
#else
int main(int, char **argv) {
  for (int i = 0; i < 2; ++i) {
    void *library = dlopen(argv[1], RTLD_NOW);
    if (!library)
      return 1;
    pthread_t thread;
    pthread_create(&thread, nullptr, reinterpret_cast<void *(*)(void *)>(dlsym(library, "makeLocals")), nullptr);
    pthread_join(thread, nullptr);
    reinterpret_cast<void (*)()>(dlsym(library, "makeOne"))();
    reinterpret_cast<void (*)()>(dlsym(library, "makeTwo"))();
    dlclose(library);
  }
}
#endif
