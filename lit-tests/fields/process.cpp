// Intent: accesses are counted exactly with threads, in a forked child, in signal handlers, in code that a handler or a
// longjmp interrupts, and in libraries that are opened, closed and opened again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O2 -fPIC -shared -DLIBRARY -fplugin-arg-inmem-accesses=on %s -o %t.so
// RUN: %inmem-clangxx -O2 -pthread -fplugin-arg-inmem-accesses=on %s -o %t.exe
// RUN: %record %t.json -- %t.exe %t.so
// RUN: %expect %t.json --in %s
// RUN: %inmem-clangxx -O0 -pthread -fplugin-arg-inmem-accesses=on %s -o %t.exe
// RUN: %record %t.json -- %t.exe %t.so
// RUN: %expect %t.json --in %s
// EXPECT: fields["Threads.shared"].writes == 4 * 50000 and fields["Threads.own"].reads == 4 * 50000
// EXPECT: fields["Forked.parent"].writes == 7 and fields["Forked.child"].writes == 0
// EXPECT: fields["Handled.signals"].writes == fields["Handled.signals"].reads == 300
// EXPECT: fields["Handled.loops"].writes == 300
// EXPECT: fields["Jumped.before"].writes == 40 and fields["Jumped.after"].writes == 20
// EXPECT: fields["Opened.a"].writes == 3 * 10 + 2 and fields["Opened.b"].writes == 30 and fields["Opened.a"].reads == 30
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#define OUT __attribute__((noinline))
// Stores that no optimiser merges.
#define BARRIER __asm__ volatile("" ::: "memory")
struct Opened { int a, b; long pad[5]; };

#ifdef LIBRARY
extern "C" OUT void work(Opened *o) {
  for (int i = 0; i < 10; ++i) {
    o->a = i;
    BARRIER;
    o->b = o->a;
    BARRIER;
  }
}
#else
struct Threads { int own, shared; };
struct Forked { int parent, child; };
struct Handled { int loops, signals; };
struct Jumped { int before, after; };

OUT void run(Threads *t, int n) {
  for (int i = 0; i < n; ++i) { t->shared = t->own; BARRIER; }
}
OUT void parent(Forked *f, int n) { for (int i = 0; i < n; ++i) { f->parent = i; BARRIER; } }
OUT void child(Forked *f, int n) { for (int i = 0; i < n; ++i) { f->child = i; BARRIER; } }

static Handled *handled;
OUT static void onSignal(int) { ++handled->signals; }
OUT void loop(Handled *h, int n) { for (int i = 0; i < n; ++i) { h->loops = i; raise(SIGUSR1); } }

static jmp_buf back;
OUT void leave(int i) { if (i & 1) longjmp(back, 1); }
OUT void jump(Jumped *j, int i) {
  j->before = i;
  leave(i);
  j->after = i;
}

int main(int, char **argv) {
  auto *t = (Threads *)calloc(1, sizeof(Threads));
  std::thread all[4];
  for (auto &each : all) each = std::thread(run, t, 50000);
  for (auto &each : all) each.join();

  auto *f = (Forked *)calloc(1, sizeof(Forked));
  parent(f, 3);
  if (pid_t pid = fork()) {
    waitpid(pid, nullptr, 0);
  } else {
    child(f, 100);
    _exit(0);
  }
  parent(f, 4);

  handled = (Handled *)calloc(1, sizeof(Handled));
  signal(SIGUSR1, onSignal);
  loop(handled, 300);

  auto *j = (Jumped *)calloc(1, sizeof(Jumped));
  for (static volatile int i = 0; i < 40; i = i + 1)
    if (!setjmp(back)) jump(j, i);

  auto *o = (Opened *)calloc(1, sizeof(Opened));
  o->a = 1;
  BARRIER;
  for (int i = 0; i < 3; ++i) {
    void *library = dlopen(argv[1], RTLD_NOW);
    if (!library) return puts(dlerror()), 1;
    ((void (*)(Opened *))dlsym(library, "work"))(o);
    dlclose(library);
  }
  o->a = 2;
  BARRIER;
}
#endif
