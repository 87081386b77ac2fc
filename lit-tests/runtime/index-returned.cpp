// Intent: when the heap shrinks the index's memory goes back to the system, and no entry is lost to it, whatever other
// threads allocate and free meanwhile.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O2 -pthread %s -o %t.exe
// RUN: rm -f %t.inmem %t.busy.inmem
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.exe | %FileCheck %s
// CHECK: shrank
// RUN: rm -f %t.inmem
// RUN: env INMEM_OPTIONS=mode=trace:output=%t.inmem %t.exe | %FileCheck %s
// RUN: env INMEM_OPTIONS=output=%t.busy.inmem %t.exe busy %INMEM_INDEX_ROUNDS
// RUN: %inmem report --format json --diagnostics %t.busy.inmem > %t.json 2> %t.txt
// RUN: %FileCheck --check-prefix=CLEAN %s < %t.txt
// CLEAN: 0 diagnostics of the reader, 0 of the verifier
// RUN: %expect %t.json 'types["Small"].allocations == 2000000 * %INMEM_INDEX_ROUNDS' 'types["Small"].live_allocations == 0' \
// RUN:   'types["Passed"].live_allocations == 0' 'types["Passed"].allocations > 1000' \
// RUN:   'types["Passed"].allocated_bytes == types["Passed"].freed_bytes'
// RUN: %if all-tiers %{ rm -f %t.busy.inmem %}
// RUN: %if all-tiers %{ env INMEM_OPTIONS=mode=trace:output=%t.busy.inmem %t.exe busy %INMEM_INDEX_ROUNDS %}
// RUN: %if all-tiers %{ %inmem report --format json --diagnostics %t.busy.inmem > %t.traced.json 2> %t.txt %}
// RUN: %if all-tiers %{ %FileCheck --check-prefix=CLEAN %s < %t.txt %}
// RUN: %if all-tiers %{ %expect %t.traced.json 'types["Small"].allocations == 2000000 * %INMEM_INDEX_ROUNDS' 'types["Small"].live_allocations == 0' \
// RUN:   'types["Passed"].live_allocations == 0' 'types["Passed"].allocations > 1000' \
// RUN:   'types["Passed"].allocated_bytes == types["Passed"].freed_bytes' %}
// RUN: rm -f %t.inmem %t.busy.inmem

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <malloc.h>
#include <thread>

struct Small {
  char Bytes[80];
};
struct Passed {
  char Bytes[200];
};
static Small *Blocks[2000000];
static std::atomic<Passed *> Shared[64];
static std::atomic<bool> Stop;

static long residentKiB() {
  long Size = 0, Resident = 0;
  if (FILE *File = fopen("/proc/self/statm", "r")) {
    if (fscanf(File, "%ld %ld", &Size, &Resident) != 2)
      abort();
    fclose(File);
  }
  return Resident * 4;
}

static void growAndShrink() {
  for (Small *&Block : Blocks)
    Block = new Small;
  for (Small *Block : Blocks)
    delete Block;
  malloc_trim(0);
}

static void pass(unsigned Seed) {
  while (!Stop) {
    Seed = Seed * 1664525u + 1013904223u;
    delete Shared[Seed >> 26].exchange(new Passed);
  }
}

int main(int Argc, char **Argv) {
  if (Argc == 1) {
    // 160 MB, whose index takes 46 MB. On a busy machine the runtime may have
    // spent its share of the time before the end of the first round.
    long Before = residentKiB(), More = 0;
    for (int I = 0; I < 10; ++I) {
      growAndShrink();
      // The program's own table of blocks stays.
      More = residentKiB() - Before - static_cast<long>(sizeof Blocks / 1024);
      if (More < 4096)
        break;
    }
    puts(More < 4096 ? "shrank" : "kept");
    fprintf(stderr, "%ld KiB more than before\n", More);
    return 0;
  }
  std::thread Threads[3];
  for (unsigned I = 0; I < 3; ++I)
    Threads[I] = std::thread(pass, I);
  for (int I = atoi(Argv[2]); I > 0; --I)
    growAndShrink();
  Stop = true;
  for (std::thread &Each : Threads)
    Each.join();
  for (auto &Each : Shared)
    delete Each.load();
}
