// Intent: what a thread allocates and frees while it ends counts: in destructors of thread_local objects, and in those
// of keys, which may set their key again and again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O2 -pthread %s -o %t.exe
// RUN: %record %t.json -- %t.exe
// RUN: %expect %t.json 'types["Own"].allocations == 200' 'types["Own"].frees == 200' \
// RUN:   'types["Late"].allocations == 200' 'types["Late"].frees == 200' \
// RUN:   'types["Last"].allocations == 200 * 4' 'types["Last"].frees == 200 * 4'

#include <pthread.h>
#include <thread>

struct Own {
  int a;
};
struct Late {
  int a[2];
};
struct Last {
  int a[3];
};
static thread_local void *volatile Sink;
static pthread_key_t Key;
static thread_local int Round;

static void atEnd(void *) {
  Last *One = new Last;
  Sink = One;
  delete One;
  // As often as POSIX promises.
  if (++Round < 4)
    pthread_setspecific(Key, &Key);
}

struct Guard {
  Own *Mine = new Own;
  ~Guard() {
    delete Mine;
    Late *One = new Late;
    Sink = One;
    delete One;
  }
};

int main() {
  pthread_key_create(&Key, atEnd);
  for (int I = 0; I < 200; ++I)
    std::thread([] {
      thread_local Guard Here;
      Sink = &Here;
      pthread_setspecific(Key, &Key);
    }).join();
}
