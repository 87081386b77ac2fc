// Intent: resident memory by page: the parts add up to RSS, which is that of smaps; malloc_trim(0) is promised what it returns; no line that left the holes itself is to be placed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: jsonschema
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %inmem-clangxx -O1 -g -pthread %s -o app
// RUN: env INMEM_OPTIONS=output=kept.inmem ./app kept >kept.txt
// RUN: env INMEM_OPTIONS=output=phase.inmem ./app phase >phase.txt
// RUN: env INMEM_OPTIONS=output=top.inmem ./app top >top.txt
// RUN: env INMEM_OPTIONS=output=threads.inmem ./app threads >threads.txt
// RUN: env INMEM_OPTIONS=output=guess.inmem ./app guess >guess.txt
// RUN: %python %S/Inputs/resident.py %inmem
// To the byte, of the moment of the fork.
// RUN: env INMEM_OPTIONS=output=fork.inmem %python %S/Inputs/resident-at-fork.py %inmem fork ./app threads
// RUN: env INMEM_OPTIONS=snapshot=exit:mmap=on:output=exit.inmem %python %S/Inputs/resident-at-fork.py %inmem exit ./app top
// RUN: %inmem resident --top 3 kept.heap | %FileCheck %s
// CHECK: RESIDENT {{.*}} of process
// CHECK: free, PINNED by live blocks
// CHECK: WHO PINS
// CHECK: Keep {{.*}}96.0 %
// CHECK: WHAT RETURNS IT
// CHECK: a place of their own
// All of docs/schema/inmem-resident-1.json is in one or the other.
// RUN: %inmem resident --format json -o kept.json kept.heap
// RUN: %inmem resident --format json -o phase.json phase.heap
// RUN: %schemas --whole kept.json phase.json
// Snapshots at the highest RSS, which is behind the peak of live bytes.
// RUN: env INMEM_OPTIONS=output=rss.inmem:snapshot=rss ./app kept
// RUN: %inmem resident --format json rss.heap | %FileCheck %s --check-prefix=RSS
// RSS: "schema": "inmem-resident/1"
// RUN: %not %inmem resident kept.inmem 2>&1 | %FileCheck %s --check-prefix=TRACE
// TRACE: kept.inmem: at byte 0: not a heap snapshot
// RUN: %not %inmem resident missing.heap 2>&1 | %FileCheck %s --check-prefix=NONE
// NONE: missing.heap
#include "Inputs/resident.h"
#include "Inputs/serve.h"
#include <inmem/inmem.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
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

static void work(bool Phase, int Count = 100000) {
  auto *Entries = new std::vector<Entry *>;
  auto *Keeps = new std::vector<Keep *>;
  for (int I = 0; I < Count; ++I) {
    Entries->push_back(filled<Entry>());
    if (I % 10 == 0)
      Keeps->push_back(filled<Keep>());
  }
  for (int I = 0; I < Count; ++I)
    if (!Phase || I % 10) {
      // A part of the pages is wholly free.
      if (!Phase && I < Count / 25 && I % 10 == 0) {
        delete (*Keeps)[I / 10];
        (*Keeps)[I / 10] = nullptr;
      }
      delete (*Entries)[I];
    }
}

/// Blocks behind freed memory that looks like the head of a chunk 16 bytes
/// before theirs: only a walk from chunk to chunk shows where they begin.
static void misleadingHeads() {
  constexpr long kChunk = 64;
  auto *Freed = new std::vector<long *>, *Kept = new std::vector<long *>;
  for (int I = 0; I < 8000; ++I) {
    Freed->push_back(static_cast<long *>(malloc(40)));
    Freed->back()[3] = kChunk | 1;
    Kept->push_back(static_cast<long *>(malloc(kChunk - 8)));
    Kept->back()[5] = 1;
  }
  for (long *Block : *Freed)
    free(Block);
}

int main(int, char **Arguments) {
  const std::string Mode = Arguments[1];
  if (Mode == "kept" || Mode == "phase") {
    work(Mode == "phase");
  } else if (Mode == "guess") {
    misleadingHeads();
  } else if (Mode == "top") {
    // mmap_threshold grows, and with it what free() leaves at the end.
    free(memset(malloc(20 << 20), 1, 20 << 20));
    std::vector<char *> Blocks;
    for (int I = 0; I < 200; ++I)
      Blocks.push_back(
          static_cast<char *>(memset(malloc(100000), 1, 100000)));
    for (char *B : Blocks)
      free(B);
  } else {
    std::vector<std::thread> Threads;
    for (int I = 0; I < 16; ++I)
      Threads.emplace_back([] { work(false, 20000); });
    for (std::thread &T : Threads)
      T.join();
  }
  if (Arguments[2]) { // serves until its input ends
    serveUntilInput();
    return 0;
  }
  residentNow(); // allocates its buffer
  const size_t Before = residentNow();
  inmem_snapshot(nullptr);
  const size_t After = residentNow();
  malloc_trim(0);
  const size_t Trimmed = residentNow();
  printf("%zu %zu %zu\n", Before, After, After - Trimmed);
  return 0;
}
