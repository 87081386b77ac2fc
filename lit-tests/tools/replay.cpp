// Intent: inmem replay: a recorded program's steps with other allocators have the resident memory that the program itself has with them; settings of an allocator show.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: jemalloc, tcmalloc, mimalloc, jsonschema
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %inmem-clangxx -O1 -g -pthread %s -o app
// RUN: %clangxx -O1 -pthread %s -o plain
// RUN: env INMEM_OPTIONS=mode=trace:clock=exact:output=alone.inmem ./app alone
// RUN: env INMEM_OPTIONS=mode=trace:clock=exact:output=threads.inmem ./app threads
// RUN: env INMEM_OPTIONS=mode=trace:clock=exact:output=moved.inmem ./app moved
// RUN: env INMEM_OPTIONS=clock=exact:output=none.inmem ./app alone
// RUN: env INMEM_OPTIONS=mode=trace:output=untimed.inmem ./app alone
// RUN: %python %S/Inputs/replay.py %inmem
// RUN: %inmem replay --malloc jemalloc:MALLOC_CONF=dirty_decay_ms:0,muzzy_decay_ms:0 --unwritten 64k --format json -o unwritten.json moved.inmem
// All of docs/schema/inmem-replay-1.json is in one or the other.
// RUN: %schemas --whole threads.json unwritten.json
// RUN: %inmem replay --malloc glibc --malloc glibc:MALLOC_ARENA_MAX=1 threads.inmem | %FileCheck %s
// CHECK: REPLAY {{.*}} events of 5 threads in 5 orders
// CHECK: resident heap with {{ *}}peak {{ *}}at the end
// CHECK: glibc {{.*}} MiB
// CHECK: glibc:MALLOC_ARENA_MAX=1
// CHECK: recorded: {{.*}} MiB live at the peak; the process had {{.*}} MiB resident
// RUN: not %inmem replay none.inmem 2>&1 | %FileCheck %s --check-prefix=NONE
// NONE: none.inmem: replay needs the time of each event: expected a trace of INMEM_OPTIONS=mode=trace:clock=exact, found no events
// RUN: not %inmem replay untimed.inmem 2>&1 | %FileCheck %s --check-prefix=UNTIMED
// UNTIMED: found events without times
// RUN: not %inmem replay --malloc dlmalloc alone.inmem 2>&1 | %FileCheck %s --check-prefix=NAME
// NAME: --malloc: expected one of glibc, jemalloc, mimalloc, tcmalloc, place, found 'dlmalloc'
// RUN: not %inmem replay --malloc glibc:fast alone.inmem 2>&1 | %FileCheck %s --check-prefix=SETTING
// SETTING: --malloc: expected VARIABLE=VALUE behind 'glibc:', found 'fast'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

static long long figure(const char *Path, const char *Name) {
  static char Text[8192];
  const int In = open(Path, O_RDONLY);
  ssize_t Used = 0;
  for (ssize_t Got; (Got = read(In, Text + Used, sizeof Text - 1 - Used)) > 0;)
    Used += Got;
  close(In);
  Text[Used] = 0;
  return atoll(strstr(Text, Name) + strlen(Name)) * 1024;
}
static long long resident() {
  return figure("/proc/self/smaps_rollup", "\nRss:");
}

static char *filled(size_t Size) {
  return static_cast<char *>(memset(malloc(Size), 1, Size));
}

/// A cache that keeps each tenth block.
static void work(int Count) {
  std::vector<char *> Large, Small;
  for (int I = 0; I < Count; ++I) {
    Large.push_back(filled(100 + I % 7 * 100));
    if (I % 10 == 0)
      Small.push_back(filled(56));
  }
  for (char *B : Large)
    free(B);
  static std::vector<char *> Kept[5];
  static int Next = 0;
  Kept[__atomic_fetch_add(&Next, 1, __ATOMIC_RELAXED)] = std::move(Small);
}

/// Buffers that realloc moves, and a table of zeros.
static void grow() {
  static char *Rows[200];
  for (size_t Size = 64; Size <= 65536; Size *= 2)
    for (char *&Row : Rows) {
      Row = static_cast<char *>(realloc(Row, Size));
      memset(Row, 1, Size);
    }
  static void *volatile Table = calloc(1000, 1000);
  memset(Table, 1, 1000000);
}

int main(int, char **Words) {
  const std::string Mode = Words[1];
  resident(); // its buffer
  const int Clear = open("/proc/self/clear_refs", O_WRONLY);
  if (write(Clear, "5", 1) != 1)
    return 1;
  close(Clear);
  const long long Before = resident();
  if (Mode == "alone") {
    work(40000);
  } else if (Mode == "moved") {
    grow();
  } else {
    std::vector<std::thread> All;
    for (int I = 0; I < 4; ++I)
      All.emplace_back(work, 10000);
    for (std::thread &T : All)
      T.join();
  }
  const long long Peak = figure("/proc/self/status", "\nVmHWM:");
  const long long End = resident();
  if (Words[2])
    printf("%lld %lld\n", Peak - Before, End - Before);
  return 0;
}
