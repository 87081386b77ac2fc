// Intent: a trace has checksums that cover every figure after an orderly end, also when events come after it; none that do not hold when the process was killed or threads ran on.
//
// RUN: %clang -shared -fPIC -x c %S/Inputs/after-the-end.c -o %t.so
// RUN: %inmem-clangxx -O2 -pthread %s -o %t
// RUN: %record %t.json -- %t late %t.so
// RUN: %expect %t.json 'processes[0].complete' 'processes[0].verified' 'types["Late"].allocations == 20' 'types["Late"].frees == 10' 'types["Early"].allocations == 3'
// RUN: rm -f %t.*.inmem
// RUN: env INMEM_OPTIONS=output=%t.late.inmem:mode=trace %t late %t.so
// RUN: %inmem report --diagnostics --format json -o %t.json %t.late.inmem 2>&1 | %FileCheck %s --check-prefix=CLEAN
// RUN: %expect %t.json 'processes[0].verified' 'types["Late"].allocations == 20'
// CLEAN: 0 diagnostics of the reader, 0 of the verifier
//
// Many events after the end: the seal is given up, and --diagnostics says so.
// RUN: env INMEM_OPTIONS=output=%t.many.inmem %t many %t.so
// RUN: %inmem report --format json -o %t.json %t.many.inmem
// RUN: %expect %t.json 'processes[0].complete' 'not processes[0].verified' 'types["Late"].allocations == 500000'
//
// RUN: env INMEM_OPTIONS=output=%t.threads.inmem %t threads %t.so
// RUN: env COLUMNS=1000 %inmem report --full --diagnostics %t.threads.inmem 2>&1 | %FileCheck %s --check-prefix=THREADS
// THREADS: threads went on
// RUN: env INMEM_OPTIONS=output=%t.killed.inmem %not --crash %t killed %t.so
// RUN: env COLUMNS=1000 %inmem report --full %t.killed.inmem | %FileCheck %s --check-prefix=KILLED
// RUN: %inmem report --format json -o %t.json %t.killed.inmem
// RUN: %expect %t.json 'not processes[0].verified' 'types["Early"].allocations == 3'
// KILLED: killed; all that it recorded
//
// A byte of a sealed one changed: told, and exit code 3.
// RUN: %python -c "import sys; b = bytearray(open(sys.argv[1], 'rb').read()); i = b.index(b'IMEX'); b[i + 100] ^= 1; open(sys.argv[2], 'wb').write(b)" %t.late.inmem %t.bad.inmem
// RUN: %not %inmem report --full %t.bad.inmem 2>&1 | %FileCheck %s --check-prefix=BAD
// BAD: checksum of an extent
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <thread>

struct Early {
  long Words[3];
};
struct Late {
  long Words[4];
  Late();
  ~Late();
};
__attribute__((noinline)) Late::Late() { Words[0] = 1; }
__attribute__((noinline)) Late::~Late() { Words[0] = 0; }

static std::atomic<Late *> Kept;
static Early *volatile Old[3];
static int Rounds;

// Called by a library that was opened after the runtime, and so ends after it.
static void afterTheEnd() {
  for (int I = 0; I < Rounds; ++I) {
    Kept = new Late;
    if (I % 2)
      delete Kept.load();
  }
}

int main(int, char **Argv) {
  void *Library = dlopen(Argv[2], RTLD_NOW);
  if (!Library)
    return 1;
  *static_cast<void (**)()>(dlsym(Library, "AfterTheEnd")) = afterTheEnd;
  for (int I = 0; I < 3; ++I)
    Old[I] = new Early;
  if (!strcmp(Argv[1], "killed"))
    raise(SIGKILL);
  if (!strcmp(Argv[1], "threads"))
    std::thread([] {
      for (;;)
        delete (Kept = new Late);
    }).detach();
  while (Argv[1][0] == 't' && !Kept) {
  }
  Rounds = !strcmp(Argv[1], "late") ? 20 : !strcmp(Argv[1], "many") ? 500000 : 0;
  return 0;
}
