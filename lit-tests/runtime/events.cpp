// Intent: with mode=trace every event is in its thread's stream: the streams add up to the counts, site by site, and
// carry times in order, also across extents, for blocks that another thread frees, for realloc and for a killed program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O2 -pthread %s -o %t.exe
// RUN: rm -f %t.inmem %t.killed.inmem
// RUN: env INMEM_OPTIONS=mode=trace:output=%t.inmem %t.exe %INMEM_EVENTS
// RUN: %inmem report --format json --diagnostics %t.inmem > %t.json 2> %t.txt
// RUN: %FileCheck --check-prefix=CLEAN %s < %t.txt
// RUN: %expect %t.json 'types["Node"].allocations == 4 * %INMEM_EVENTS' 'types["Node"].live_allocations == 16' \
// RUN:   'totals.allocations > 8 * %INMEM_EVENTS' 'processes[0].dropped_events == 0'
// RUN: %inmem dump --events %t.inmem > %t.events
// RUN: %check-events %t.events %t.json
// CLEAN: 0 diagnostics of the reader, 0 of the verifier

// Lives that are all timed need no table of their own.
// RUN: env INMEM_OPTIONS=mode=trace:clock=exact:output=%t.exact.inmem %t.exe %INMEM_EVENTS
// RUN: %inmem report --format json --diagnostics %t.exact.inmem 2>&1 >/dev/null | %FileCheck --check-prefix=CLEAN %s

// RUN: %not --crash env INMEM_OPTIONS=mode=trace:output=%t.killed.inmem %t.exe %INMEM_EVENTS kill
// RUN: %inmem report --format json --diagnostics %t.killed.inmem 2>&1 >%t.json | %FileCheck --check-prefix=CLEAN %s
// RUN: %expect %t.json 'types["Node"].live_allocations == 16' 'not processes[0].complete'

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <thread>

struct Node {
  long Values[3];
};
static std::atomic<Node *> Shared[16];

static int Rounds;

static void work(unsigned Seed) {
  for (int I = 0; I < Rounds; ++I) {
    Seed = Seed * 1664525u + 1013904223u;
    delete Shared[Seed >> 28].exchange(new Node);
    void *Some = malloc(Seed >> 20 & 2047);
    if (I % 64 == 0)
      Some = realloc(Some, Seed >> 24);
    free(Some);
  }
}

int main(int Argc, char **Argv) {
  Rounds = atoi(Argv[1]);
  std::thread Threads[4];
  for (unsigned I = 0; I < 4; ++I)
    Threads[I] = std::thread(work, I);
  for (std::thread &Each : Threads)
    Each.join();
  if (Argc > 2)
    raise(SIGKILL);
}
