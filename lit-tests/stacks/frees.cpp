// Intent: frees=on counts who frees, by function and thread, of whom that allocated: all of it, also
// through tail calls, realloc, C, threads and phases, in an archive's programs and killed ones.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -I%include -O2 -pthread %s -o %t.exe
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem:frees=on %t.exe
// RUN: %inmem report --diagnostics %t.inmem 2>&1 >/dev/null | %FileCheck %s --check-prefix=VERIFIED
// VERIFIED: 0 diagnostics of the reader, 0 of the verifier
// RUN: %inmem report --frees --type Token %t.inmem | %FileCheck %s
// CHECK: WHO FREES
// CHECK: 30 make
// CHECK-NEXT: 13 {{.*}} destroyThere
// CHECK-NEXT: 10 {{.*}} destroyHere
// CHECK-NEXT: 5 {{.*}} Owner::~Owner
// CHECK-NEXT: 2 {{.*}} main
// CHECK: 30 thread 1
// CHECK-NEXT: 17 {{.*}} thread 1
// CHECK-NEXT: 13 {{.*}} thread 2
// CHECK: Token
// RUN: %inmem report --frees --format json %t.inmem > %t.json
// RUN: %inmem report --phase late --frees --format json --type Token %t.inmem > %t.late.json
// RUN: %inmem report --thread 2 --frees --format json %t.inmem > %t.thread.json
// RUN: %python %S/Inputs/frees.py %t.json %t.late.json %t.thread.json
// RUN: %inmem report --by frees --format csv --type Token %t.inmem | %FileCheck %s --check-prefix=CSV
// CSV: Token,make(),{{.*}},destroyHere(Token*),{{.*}},10,320
// RUN: %inmem dump %t.inmem > %t.txt && %assemble -o %t.again.inmem %t.txt
// RUN: %inmem report --frees --type Token %t.again.inmem | %FileCheck %s

// With stacks the frames that free are chosen as for blame.
// RUN: rm -f %t.stacks.inmem && env INMEM_OPTIONS=output=%t.stacks.inmem:frees=on:stacks=16 %t.exe
// RUN: %inmem report --frees --blame-ignore destroy,make --type Token %t.stacks.inmem | %FileCheck %s --check-prefix=STACKS
// STACKS: 30 main
// STACKS: 13 {{.*}} inThread
// RUN: %inmem report --frees --format json %t.stacks.inmem > %t.stacks.json
// RUN: %python %S/Inputs/frees.py %t.stacks.json

// Every event as well, the deterministic clock, and a program that is killed.
// RUN: rm -f %t.events.inmem && env INMEM_OPTIONS=output=%t.events.inmem:frees=on:mode=trace %t.exe
// RUN: %inmem report --frees --type Token %t.events.inmem | %FileCheck %s
// RUN: %if all-tiers %{ rm -f %t.clock.inmem && env INMEM_OPTIONS=output=%t.clock.inmem:frees=on:clock=events %t.exe %}
// RUN: %if all-tiers %{ %inmem report --frees --type Token %t.clock.inmem | %FileCheck %s %}
// RUN: rm -f %t.killed.inmem && env INMEM_OPTIONS=output=%t.killed.inmem:frees=on %not --crash %t.exe killed
// RUN: %inmem report --frees --type Token %t.killed.inmem | %FileCheck %s

// RUN: %inmem-clangxx -I%include -O2 -pthread -static %s -o %t.static.exe
// RUN: rm -f %t.static.inmem && env INMEM_OPTIONS=output=%t.static.inmem:frees=on %t.static.exe
// RUN: %inmem report --frees --type Token %t.static.inmem | %FileCheck %s

// Without the option there is no record, and the report says what to do.
// RUN: rm -f %t.off.inmem && env INMEM_OPTIONS=output=%t.off.inmem %t.exe
// RUN: sh -c '%inmem report --frees %t.off.inmem; echo code $?' 2>&1 | %FileCheck %s --check-prefix=OFF
// OFF: INMEM_OPTIONS=frees=on records it
// OFF-NEXT: code 2

#include <inmem/inmem.h>
#include <signal.h>
#include <stdlib.h>
#include <thread>
#include <unistd.h>
#include <vector>

struct Token {
  long values[4];
};
__attribute__((noinline)) Token *make() { return new Token; }
// Jumps to operator delete: this function's frame is gone when it is called.
__attribute__((noinline)) void destroyHere(Token *token) { delete token; }
__attribute__((noinline)) static void destroyThere(Token *token) {
  delete token;
  asm volatile("");
}
struct Owner {
  Token *token;
  __attribute__((noinline)) ~Owner() { delete token; }
};

static std::vector<Token *> tokens;
__attribute__((noinline)) void inThread() {
  for (int i = 17; i < 30; ++i)
    destroyThere(tokens[i]);
  asm volatile("");
}

__attribute__((noinline)) void grow() {
  static void *volatile block;
  block = malloc(10);
  for (size_t size = 100; size < 1000000; size *= 10)
    block = realloc(block, size);
  free(block);
}

int main(int argc, char **) {
  for (int i = 0; i < 32; ++i)
    tokens.push_back(make());
  for (int i = 0; i < 10; ++i)
    destroyHere(tokens[i]);
  inmem_phase("late");
  for (int i = 10; i < 15; ++i)
    Owner owner{tokens[i]};
  delete tokens[15];
  delete tokens[16];
  std::thread(inThread).join();
  grow();
  if (argc > 1)
    kill(getpid(), SIGKILL);
}
