// Intent: objects that are made and destroyed when a thread has ended for its
// own destructors already, as in the program's own free that glibc calls last,
// are counted, and their lives go into the block that the thread borrows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 -fplugin-arg-inmem-objects=lifetime -pthread %s -o %t
// RUN: env INMEM_OPTIONS=output=%t.inmem:clock=exact %t
// RUN: %inmem report --format json %t.inmem > %t.json
// RUN: %python %inputs/expect.py %t.json \
// RUN:   'types["Late"].objects.destroyed == 20' \
// RUN:   'types["Late"].objects.lifetime.timed == 20'
#include <climits>
#include <cstdio>
#include <cstring>
#include <pthread.h>

struct Late {
  Late() : value(1) {}
  ~Late() { value = 0; }
  volatile int value;
};

static thread_local bool ended;
static pthread_key_t key;

static void atEnd(void *round) {
  ended = true;
  if (reinterpret_cast<long>(round) < PTHREAD_DESTRUCTOR_ITERATIONS)
    pthread_setspecific(
        key, reinterpret_cast<void *>(reinterpret_cast<long>(round) + 1));
}

extern "C" void __libc_free(void *);
static int late;

extern "C" void free(void *block) {
  if (ended && block) {
    Late object;
    __atomic_fetch_add(&late, 1, __ATOMIC_RELAXED);
  }
  __libc_free(block);
}

static void *work(void *) {
  pthread_setspecific(key, reinterpret_cast<void *>(1));
  return strerror(12345); // its buffer is freed last of all
}

int main() {
  pthread_key_create(&key, atEnd);
  for (int i = 0; i < 20; ++i) {
    pthread_t thread;
    pthread_create(&thread, nullptr, work, nullptr);
    pthread_join(thread, nullptr);
  }
  std::printf("%d\n", late);
  return late == 20 ? 0 : 1;
}
