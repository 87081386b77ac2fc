// Intent: blocks made before main, in IFUNC resolvers and in the first constructors, and after it,
// in atexit handlers, destructors of statics and thread-locals and of keys, are all counted. (A
// resolver itself is not instrumented: its block has no type.)
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 -pthread %s -o %t.exe
// RUN: %record %t.json -- %t.exe | %FileCheck %s
// RUN: %expect %t.json 'all((types[name].allocations, types[name].frees) == (1, 1) for name in ["First", "Static", "AtExit", "Late", "OfThread", "OfKey"])' 'processes[0].complete' \
// RUN:   'sum(site.allocations for site in sites if site.allocated_bytes == 10) == 1'
// RUN: %inmem-clangxx -O1 -pthread -static %s -DSTATIC -o %t.static
// RUN: %record %t.json -- %t.static | %FileCheck %s
// RUN: %expect %t.json 'all((types[name].allocations, types[name].frees) == (1, 1) for name in ["First", "Static", "AtExit", "Late", "OfThread", "OfKey"])' 'processes[0].complete'
// RUN: %inmem-clangxx -O1 -pthread -static-pie %s -DSTATIC -o %t.pie
// RUN: %record %t.json -- %t.pie | %FileCheck %s
// RUN: %expect %t.json 'all((types[name].allocations, types[name].frees) == (1, 1) for name in ["First", "Static", "AtExit", "Late", "OfThread", "OfKey"])'
// CHECK: last

#include <climits>
#include <cstdlib>
#include <pthread.h>
#include <thread>
#include <unistd.h>

template <int N> struct Sized {
  char bytes[N];
};
struct Resolver : Sized<10> {};
struct First : Sized<11> {};
struct Static : Sized<12> {};
struct AtExit : Sized<13> {};
struct Late : Sized<14> {};
struct OfThread : Sized<15> {};
struct OfKey : Sized<16> {};

template <class T> static void once() {
  T *volatile one = new T;
  delete one;
}

#ifndef STATIC
extern "C" {
int chosen() { return 1; }
int (*resolve())() {
  once<Resolver>();
  return chosen;
}
int indirect() __attribute__((ifunc("resolve")));
}
#endif

__attribute__((constructor(101))) static void first() { once<First>(); }
__attribute__((destructor(101))) static void last() {
  once<Late>();
  if (write(1, "last\n", 5) < 0)
    std::abort();
}

static struct Holder {
  Static *held = new Static;
  ~Holder() { delete held; }
} Held;

static thread_local struct ThreadHolder {
  OfThread *held = nullptr;
  ~ThreadHolder() { delete held; }
} OwnHolder;

// A destructor that sets its key again, so that it runs in the last round too.
static pthread_key_t Key;
static void endOfKey(void *value) {
  static int rounds = 0;
  if (++rounds < PTHREAD_DESTRUCTOR_ITERATIONS)
    pthread_setspecific(Key, value);
  else
    delete static_cast<OfKey *>(value);
}

int main() {
#ifndef STATIC
  if (indirect() != 1)
    return 1;
#endif
  std::atexit([] { once<AtExit>(); });
  pthread_key_create(&Key, endOfKey);
  std::thread([] {
    OwnHolder.held = new OfThread;
    pthread_setspecific(Key, new OfKey);
  }).join();
}
