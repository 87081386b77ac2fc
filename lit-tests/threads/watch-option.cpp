// Intent: watch= tells of threads and of each multiple of the threshold, to stderr or a file; the trace has them, also after kill -9, and reports show a time line of each thread.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O2 -pthread %s -o %t
// RUN: rm -f %t.watch %t.err && %record %t.json watch=20ms,100KiB,50 -- %t %t.err 2>%t.err
// RUN: %FileCheck %s < %t.err
// CHECK-DAG: inmem: thread 'maker' (tid {{[0-9]+}}) has allocated 100 KiB: now
// CHECK-DAG: inmem: thread 'maker' (tid {{[0-9]+}}) has allocated 300 KiB: now
// CHECK-DAG: inmem: thread 'maker' (tid {{[0-9]+}}) has allocated 50 blocks: now
// CHECK-DAG: inmem: thread {{.*}} created, runs make(void*)
// CHECK-DAG: inmem: thread 'maker' (tid {{[0-9]+}}) died after {{.*}}: allocated 300 KiB in 75 blocks, freed 300 KiB
// CHECK-DAG: inmem: thread {{.*}} created, runs {{(main::)?}}Job
// What a terminal would obey:
// CHECK-DAG: inmem: thread 'a?[2Jb?c' (tid {{[0-9]+}}) died after {{[0-9.]+ [mu]?s}}: allocated 1 B in 1 block, freed 1 B
// More functions than the watcher keeps names of, in turn and again:
// RUN: grep -o "'turn.*created, runs .*" %t.err | sed "s/ (tid.*runs//" | sort | %FileCheck %s --check-prefix=TURNS
// TURNS-COUNT-2: 'turn0' void* turn<0>(void*)
// TURNS-COUNT-2: 'turn1' void* turn<1>(void*)
// TURNS-COUNT-2: 'turn2' void* turn<2>(void*)
// TURNS-COUNT-2: 'turn3' void* turn<3>(void*)
// TURNS-COUNT-2: 'turn4' void* turn<4>(void*)
// RUN: %expect %t.json --in %s
// EXPECT: [t["start_routine"] for t in threads if t["name"] == "maker"] == ["make(void*)"]
// EXPECT: [t["allocated_bytes"] for t in threads if t["name"] == "maker"] == [307200]
// EXPECT: sum(t["allocations"] for t in threads) == totals.allocations
// EXPECT: [sum(t["timeline"]["bytes"]) for t in threads if t["name"] == "maker"] == [307200]
// EXPECT: [t["timeline"]["crossings"] for t in threads if t["name"] == "maker"] == [4]
// EXPECT: all(t["died_ns"] > t["created_ns"] for t in threads if t["name"] == "maker")
// RUN: env INMEM_OPTIONS=output=%t.killed:watch=20ms,100KiB:watch_output=%t.watch sh -c '%t %t.watch kill || true'
// RUN: %FileCheck %s --check-prefix=FILE < %t.watch
// FILE: inmem: thread 'maker' {{.*}} died after
// RUN: %inmem report --by thread --color never %t.killed | %FileCheck %s --check-prefix=REPORT
// REPORT: THREADS
// REPORT: maker{{ +}}{{[0-9]+}}{{ +}}300 KiB
// RUN: %inmem dump %t.killed > %t.text && %assemble -o %t.again %t.text && %inmem dump %t.again | diff - %t.text
#include "../Inputs/until.h"
#include <csignal>
#include <cstdlib>
#include <pthread.h>
#include <thread>
#include <unistd.h>

__attribute__((noinline)) void *take(size_t Bytes) {
  void *volatile P = std::malloc(Bytes);
  return P;
}

/// Where the watcher writes.
static const char *Lines;

__attribute__((noinline)) void *make(void *) {
  pthread_setname_np(pthread_self(), "maker");
  for (int I = 0; I < 75; ++I) {
    std::free(take(4096));
    if (I == 30) // a look meets it alive
      UNTIL(fileHas(Lines, "thread 'maker'") && fileHas(Lines, "has allocated 100 KiB"));
  }
  return nullptr;
}

struct Job {
  int Bytes;
  void operator()(int Times) const {
    for (int I = 0; I < Times; ++I)
      std::free(take(Bytes));
  }
};

void *control(void *) {
  pthread_setname_np(pthread_self(), "a\033[2Jb\nc");
  std::free(take(1));
  return nullptr;
}

template <int N> void *turn(void *) {
  const char Name[] = {'t', 'u', 'r', 'n', '0' + N, 0};
  pthread_setname_np(pthread_self(), Name);
  std::free(take(1));
  return nullptr;
}

int main(int Count, char **Arguments) {
  Lines = Arguments[1];
  pthread_t Id;
  pthread_create(&Id, nullptr, make, nullptr);
  pthread_join(Id, nullptr);
  std::thread(Job{8}, 3).join();
  pthread_create(&Id, nullptr, control, nullptr);
  pthread_join(Id, nullptr);
  void *(*const Turns[])(void *) = {turn<0>, turn<1>, turn<2>, turn<3>, turn<4>};
  for (int I = 0; I < 10; ++I) {
    pthread_create(&Id, nullptr, Turns[I % 5], nullptr);
    pthread_join(Id, nullptr);
  }
  if (Count > 2) {
    UNTIL(fileHas(Lines, "died after") && fileHas(Lines, "'turn4'"));
    kill(getpid(), SIGKILL);
  }
}
