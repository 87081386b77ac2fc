// Intent: resident memory with jemalloc, tcmalloc and mimalloc: the parts add up to RSS, in the words that fit; their own mappings are not the program's; nothing is promised that only glibc does.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: jemalloc, tcmalloc, mimalloc, jsonschema
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %inmem-clangxx -O1 -g -pthread %s -o app
// RUN: env INMEM_OPTIONS=mmap=on:snapshot=exit:output=jemalloc.inmem MALLOC_CONF=dirty_decay_ms:-1,muzzy_decay_ms:-1 LD_PRELOAD=libjemalloc.so.2 ./app > jemalloc.txt
// RUN: env INMEM_OPTIONS=mmap=on:snapshot=exit:output=tcmalloc.inmem LD_PRELOAD=libtcmalloc.so.4 ./app > tcmalloc.txt
// RUN: env INMEM_OPTIONS=mmap=on:snapshot=exit:output=mimalloc.inmem MIMALLOC_ALLOW_DECOMMIT=0 MIMALLOC_PURGE_DELAY=-1 LD_PRELOAD=libmimalloc.so.2 ./app > mimalloc.txt
// RUN: %python %S/Inputs/resident-allocators.py %inmem jemalloc tcmalloc mimalloc
// To the byte, of the moment of the fork, with threads that have blocks.
// RUN: env INMEM_OPTIONS=mmap=on:snapshot=exit:output=two-glibc.inmem %python %S/Inputs/resident-at-fork.py %inmem two-glibc ./app threads
// RUN: env INMEM_OPTIONS=mmap=on:snapshot=exit:output=two-je.inmem LD_PRELOAD=libjemalloc.so.2 %python %S/Inputs/resident-at-fork.py %inmem two-je ./app threads
// RUN: env INMEM_OPTIONS=snapshot=exit:output=two-mi.inmem MIMALLOC_ALLOW_DECOMMIT=0 LD_PRELOAD=libmimalloc.so.2 %python %S/Inputs/resident-at-fork.py %inmem two-mi ./app threads
// RUN: env INMEM_OPTIONS=snapshot=exit:output=two-tc.inmem LD_PRELOAD=libtcmalloc.so.4 %python %S/Inputs/resident-at-fork.py %inmem two-tc ./app threads
// RUN: %inmem resident jemalloc.heap | %FileCheck %s
// CHECK: whole pages kept {{.*}} jemalloc's decay
// CHECK-NOT: malloc_trim
// RUN: %inmem resident mimalloc.heap | %FileCheck %s --check-prefix=OTHER
// OTHER: whole pages kept
// OTHER-NOT: {{jemalloc|malloc_trim}}
#include "Inputs/resident.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

struct Entry {
  char Data[200];
};
struct Keep {
  char Data[56];
};

template <class T> static T *filled() {
  T *Out = new T;
  memset(Out, 1, sizeof *Out);
  return Out;
}

/// Two threads with a heap each, which then wait.
static void startThreads() {
  static std::atomic<int> Ready = 0;
  for (int T = 0; T < 2; ++T)
    std::thread([] {
      auto *All = new std::vector<Entry *>;
      for (int I = 0; I < 5000; ++I)
        All->push_back(filled<Entry>());
      for (int I = 0; I < 5000; ++I)
        if (I % 3)
          delete (*All)[I];
      ++Ready;
      for (;;)
        pause();
    }).detach();
  while (Ready < 2)
    usleep(1000);
}

int main(int Count, char **) {
  if (Count > 1)
    startThreads();
  constexpr size_t kOwn = 3 << 20;
  void *Own = mmap(nullptr, kOwn, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(Own, 1, kOwn);
  std::vector<Entry *> Entries;
  std::vector<Keep *> Kept;
  for (int I = 0; I < 60000; ++I) {
    Entries.push_back(filled<Entry>());
    if (I % 10 == 0)
      Kept.push_back(filled<Keep>());
  }
  for (Entry *E : Entries)
    delete E;
  char *Large = static_cast<char *>(malloc(8 << 20));
  memset(Large, 1, 5 << 20);
  __asm__ volatile("" : : "r"(Large) : "memory"); // or it is left out
  printf("%zu\n", residentNow());
  fflush(stdout);
  _Exit(Kept.size() == 6000 && Large ? 0 : 1);
}
