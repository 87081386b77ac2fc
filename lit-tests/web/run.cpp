// Intent: the page of a run shows the heap snapshot that lies beside the trace, and the samples of its threads, with the figures of the other commands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: chromium, web
// RUN: rm -rf %t && mkdir %t
// RUN: %inmem-clangxx -std=c++17 -O1 -g -I %inputs %s -o %t/app
// RUN: env INMEM_OPTIONS=output=%t/app.inmem:snapshot=exit:stacks=8:profile=1ms:profile_clock=cpu %t/app
// RUN: env INMEM_WEB_RUN=%t/app.inmem %web --work %t run
// An older file of that name is of another process; what is named is shown, and must be one.
// RUN: cp %t/app.heap %t/other.heap
// RUN: env INMEM_OPTIONS=output=%t/other.inmem %t/app
// RUN: %inmem html -o %t/none.html %t/other.inmem
// RUN: %inmem html -o %t/one.html --heap %t/other.heap %t/other.inmem
// RUN: %python -c "import os,sys; none, one = (os.path.getsize(f) for f in sys.argv[1:]); sys.exit(not none + 1000 < one)" %t/none.html %t/one.html
// RUN: %not %inmem html -o %t/bad.html --heap %t/other.inmem %t/other.inmem 2>&1 | %FileCheck %s --check-prefix=BAD
// BAD: other.inmem: at byte 0: not a heap snapshot
// RUN: %not %inmem html --diff -o %t/bad.html --heap %t/app.heap %t/app.inmem %t/other.inmem 2>&1 | %FileCheck %s --check-prefix=DIFF
// DIFF: html --diff: a heap snapshot cannot be shown
#include "busy.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

struct Session {
  char kind = 0;
  std::string name;
  char state = 0;
  std::vector<int> history;
};
static auto &Sessions = *new std::map<int, std::unique_ptr<Session>>;
static auto &Numbers = *new std::vector<int *>;

[[gnu::noinline]] static void leak() {
  auto *Lost = new Session;
  asm volatile("" : "+r"(Lost)::"memory");
}

[[gnu::noinline]] static void fill() {
  for (int I = 0; I < 50; ++I) {
    auto &S = Sessions[I];
    S = std::make_unique<Session>();
    S->name = I % 2 ? "a session whose name is long enough for a block" : "a session whose name is too long for the object";
    Numbers.push_back(new int(I));
    S->history.reserve(100);
    S->history.push_back(I);
  }
}

/// What calls have left on the stack leads to nodes, too.
[[gnu::noinline]] static void wipe() {
  volatile char Room[64 * 1024];
  for (volatile char &C : Room)
    C = 0;
}

int main() {
  fill();
  leak();
  wipe();
  return busy(0.2) > 0 ? 0 : 1;
}
