// Intent: handlers of fork may wait for threads that allocate, whoever registered first, and may allocate.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %clangxx -shared -fPIC -DLIBRARY %s -o %t.so
// RUN: %clangxx -O1 -pthread -I%include %s %t.so -Wl,--whole-archive %libdir/libinmem_place.a -Wl,--no-whole-archive -o %t.static
// RUN: %t.static
// RUN: %clangxx -O1 -pthread -I%include %s %libdir/libinmem_place.so %t.so -Wl,-rpath,%libdir -o %t.first
// RUN: %t.first
// RUN: %if all-tiers %{ %clangxx -O1 -pthread -I%include %s %t.so %libdir/libinmem_place.so -Wl,-rpath,%libdir -o %t.last %}
// RUN: %if all-tiers %{ %t.last %}
// Handlers that were registered before ours allocate while the locks are held.
// RUN: %clangxx -O1 -pthread -DALONE -I%include %s %libdir/libinmem_place.a -o %t.alone
// RUN: %t.alone
#include <pthread.h>

#ifdef LIBRARY
pthread_mutex_t Mutex = PTHREAD_MUTEX_INITIALIZER;
static void lock() { pthread_mutex_lock(&Mutex); }
static void unlock() { pthread_mutex_unlock(&Mutex); }
__attribute__((constructor)) static void registerHandlers() { pthread_atfork(lock, unlock, unlock); }
#else
#include "inmem/place.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#ifdef ALONE
static pthread_mutex_t Mutex = PTHREAD_MUTEX_INITIALIZER;
#else
extern pthread_mutex_t Mutex;
#endif
static std::atomic<bool> Done;

static void allocate() {
  void *volatile block = __inmem_place_malloc(100, INMEM_PLACE_STEADY);
  std::free(block);
}

__attribute__((constructor)) static void registerHandlers() { pthread_atfork(allocate, allocate, allocate); }

static void allocateUnderMutex() {
  while (!Done) {
    pthread_mutex_lock(&Mutex);
    for (int i = 0; i < 100; ++i)
      allocate();
    pthread_mutex_unlock(&Mutex);
  }
}

int main() {
  alarm(1800); // a deadlock
  std::thread threads[] = {std::thread(allocateUnderMutex), std::thread(allocateUnderMutex)};
  bool good = true;
  for (int i = 0; i < 300; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      allocate();
      _exit(0);
    }
    int status = 0;
    good = waitpid(child, &status, 0) == child && status == 0 && good;
  }
  Done = true;
  for (std::thread &t : threads)
    t.join();
  std::puts(good ? "fine" : "a child failed");
  return !good;
}
#endif
