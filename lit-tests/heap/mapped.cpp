// Intent: mmap=on: mmap, mremap, munmap and sbrk of the program add up to what it counts itself, by line, with parts unmapped, moves, mappings over others, threads, signal handlers, forks and dlopen; in resident memory each page has its caller.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: jsonschema
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %inmem-clangxx -O2 -shared -fPIC -DLIBRARY %s -o libmaps.so
// RUN: %inmem-clangxx -O2 -pthread %s -o app -ldl
// RUN: %inmem-clangxx -O0 -g -pthread %s -o app0 -ldl
// RUN: %inmem-clangxx -O1 -static -DSTATIC -pthread %s -o static
// RUN: %clangxx -O1 -g -pthread %s -o plain -ldl
// RUN: env INMEM_OPTIONS=mmap=on:snapshot=exit:output=app.inmem ./app app.json
// RUN: env INMEM_OPTIONS=mmap=on:snapshot=exit:output=app0.inmem ./app0 app0.json
// RUN: env INMEM_OPTIONS=mmap=on:snapshot=exit:output=static.inmem ./static static.json
// RUN: %inmem run --trace plain.inmem --options snapshot=exit -o plain.txt -- ./plain plain.json alone
// RUN: test ! -e static.2.heap
// RUN: %python %S/Inputs/mapped.py %inmem app app0 static plain
// RUN: %inmem report --full app.inmem | %FileCheck %s
// RUN: %FileCheck %s --check-prefix=SCREEN < plain.txt
// CHECK: MAPPED BY THE PROGRAM
// CHECK: mapParts {{.*}}mapped.cpp
// SCREEN: mapped {{.*}} by the program itself at the end
// RUN: %inmem report --format json -o app.report.json app.inmem
// RUN: %inmem resident --format json -o app.resident.json app.heap
// RUN: %schemas app.report.json app.resident.json
// Off unless it is asked for.
// RUN: env INMEM_OPTIONS=output=off.inmem ./app off.json
// RUN: %inmem report --format json off.inmem > off.report.json && %expect off.report.json '"mapped" not in report'
// RUN: %inmem dump app.inmem | %FileCheck %s --check-prefix=DUMP
// DUMP: mapped site=4294967295
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

constexpr long kPage = 4096;

#ifdef LIBRARY
extern "C" void *mapInLibrary(long Pages) {
  return mmap(nullptr, Pages * kPage, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
#else

std::atomic<long> Calls, Mapped, Unmapped;

static void *noted(void *P, long Pages) {
  if (P == MAP_FAILED)
    abort();
  ++Calls;
  Mapped += Pages * kPage;
  return P;
}

__attribute__((noinline)) void *mapAndDrop(long Pages) {
  return noted(mmap(nullptr, Pages * kPage, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
               Pages);
}
__attribute__((noinline)) void *mapAndKeep(long Pages) {
  void *P = noted(mmap64(nullptr, Pages * kPage, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
                  Pages);
  memset(P, 1, Pages * kPage);
  return P;
}
static void drop(void *P, long Pages) {
  Unmapped += Pages * kPage; // before another thread may get it
  if (munmap(P, Pages * kPage))
    abort();
}

__attribute__((noinline)) void mapParts() {
  char *A = static_cast<char *>(mapAndKeep(10));
  drop(A + 3 * kPage, 4); // leaves two parts
  char *B = static_cast<char *>(mapAndDrop(2));
  // Nothing can grow here: it has to move.
  char *Behind = B + 2 * kPage;
  if (mmap(Behind, kPage, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
           0) == Behind)
    noted(Behind, 1);
  B = static_cast<char *>(mremap(B, 2 * kPage, 6 * kPage, MREMAP_MAYMOVE));
  noted(B, 6);
  Unmapped += 2 * kPage;
  if (mremap(B, 6 * kPage, 1L << 60, 0) != MAP_FAILED) // fails: all stays
    abort();
  B = static_cast<char *>(mremap(B, 6 * kPage, kPage, 0));
  noted(B, 1);
  Unmapped += 6 * kPage;
  char *C = static_cast<char *>(mapAndDrop(5));
  noted(mmap(C + kPage, 2 * kPage, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
        2); // over another
  Unmapped += 2 * kPage;
  if (munmap(reinterpret_cast<void *>(1), kPage) == 0) // fails
    abort();
  noted(sbrk(3 * kPage), 3);
  sbrk(-kPage);
  Unmapped += kPage;
}

static void mapInThreads() {
  std::vector<std::thread> Threads;
  for (int I = 0; I < 8; ++I)
    Threads.emplace_back([] {
      for (long K = 0; K < 300; ++K)
        drop(mapAndDrop(1 + K % 5), 1 + K % 5);
      mapAndKeep(2);
    });
  for (std::thread &T : Threads)
    T.join();
}

static std::atomic<long> Handled;
static void handle(int) {
  drop(mapAndDrop(1), 1);
  ++Handled;
}

/// Signals arrive inside mmap, munmap and malloc.
static void mapInHandlers() {
  constexpr long kSignals = 300;
  signal(SIGUSR1, handle);
  const pthread_t Main = pthread_self();
  std::thread Sender([Main] {
    for (long I = 0; I < kSignals; ++I) {
      const long Before = Handled;
      pthread_kill(Main, SIGUSR1);
      while (Handled == Before)
        usleep(10);
    }
  });
  while (Handled < kSignals) {
    drop(mapAndDrop(3), 3);
    free(malloc(100));
  }
  Sender.join();
}

static void mapInChild(void *OfParent) {
  const pid_t Child = fork();
  if (Child == 0) {
    munmap(OfParent, kPage); // the parent's is no part of its figures
    void *P = mmap(nullptr, 7 * kPage, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    _exit(P == MAP_FAILED);
  }
  int Status = 0;
  if (waitpid(Child, &Status, 0) != Child || Status)
    abort();
}

static void mapByLibrary() {
#ifndef STATIC
  void *Library = dlopen("./libmaps.so", RTLD_NOW);
  auto *Map = reinterpret_cast<void *(*)(long)>(dlsym(Library, "mapInLibrary"));
  memset(noted(Map(11), 11), 1, 11 * kPage);
  dlclose(Library); // what it mapped stays
#endif
}

int main(int Count, char **Words) {
  mapParts();
  mapInThreads();
  mapInHandlers();
  void *One = mapAndKeep(1);
  if (Count < 3)
    mapInChild(One);
  mapByLibrary();
  // Shared memory with a name.
  const int Memory = memfd_create("samples", 0);
  if (ftruncate(Memory, 9 * kPage))
    abort();
  memset(noted(mmap(nullptr, 9 * kPage, PROT_READ | PROT_WRITE, MAP_SHARED,
                    Memory, 0),
               9),
         1, 9 * kPage);
  FILE *Out = fopen(Words[1], "w");
  fprintf(Out, "{\"calls\": %ld, \"mapped\": %ld, \"unmapped\": %ld}\n",
          Calls.load(), Mapped.load(), Unmapped.load());
  fclose(Out);
}
#endif
