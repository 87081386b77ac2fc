// Intent: stacks that were counted by hand: recursion is merged, a tail call is marked, callbacks
// of the C library arrive at the caller, a call that does not return is found, depth cuts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 -fno-inline %s -o %t.exe
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem:stacks=32 %t.exe
// RUN: %inmem report --diagnostics %t.inmem 2>&1 >/dev/null | %FileCheck %s --check-prefix=VERIFIED
// VERIFIED-NOT: invariant
// VERIFIED: 0 diagnostics of the reader, 0 of the verifier
// RUN: %inmem flame --format folded --metric count %t.inmem | %FileCheck %s --check-prefix=COUNT
// RUN: %inmem flame --format folded --metric live %t.inmem | %FileCheck %s --check-prefix=LIVE
// RUN: %inmem report --full --type 'std::string buffer' %t.inmem | %FileCheck %s --check-prefix=TEXT
// RUN: %inmem report --by stack --top 0 %t.inmem | %FileCheck %s --check-prefix=TREE
// RUN: %inmem report --by stack --recursion --top 0 %t.inmem | %FileCheck %s --check-prefix=FULL
// RUN: %inmem flame --format folded --metric count --min-bytes 300 %t.inmem | %FileCheck %s --check-prefix=MIN
// RUN: %inmem flame --format folded --metric count --lived ..1h --type Foo %t.inmem | %FileCheck %s --check-prefix=LIVED
// RUN: %not %inmem flame --min-bytes much %t.inmem 2>&1 | %FileCheck %s --check-prefix=WRONG
// RUN: rm -f %t.cut.inmem && env INMEM_OPTIONS=output=%t.cut.inmem:stacks=4 %t.exe
// RUN: %inmem flame --format folded --metric count %t.cut.inmem | %FileCheck %s --check-prefix=CUT
// RUN: rm -f %t.events.inmem && env INMEM_OPTIONS=output=%t.events.inmem:stacks=32:mode=trace %t.exe
// RUN: %inmem report --diagnostics %t.events.inmem 2>&1 >/dev/null | %FileCheck %s --check-prefix=VERIFIED
// RUN: %inmem flame --format folded --metric count %t.events.inmem | %FileCheck %s --check-prefix=COUNT

// COUNT-DAG: {{^}}main;callback;{{.*qsort.*}};compare;make;Foo 1{{$}}
// COUNT-DAG: {{^}}main;fail;{{.*;?}}std::string buffer 1{{$}}
// COUNT-DAG: {{^}}main;jumper;make;Foo 6{{$}}
// COUNT-DAG: {{^}}main;recurse;make;Foo 5{{$}}
// COUNT-DAG: {{^}}main;twice;again;make;Foo 3{{$}}
// COUNT-DAG: {{^}}main;uses;make;Foo 10{{$}}

// LIVE-DAG: {{^}}main;recurse;make;Foo 200{{$}}
// LIVE-DAG: {{^}}main;uses;make;Foo 40{{$}}

// MIN-NOT: jumper
// MIN: {{^}}main;uses;make;Foo 10{{$}}
// MIN-NOT: jumper
// LIVED-NOT: recurse
// LIVED: {{^}}main;uses;make;Foo 9{{$}}
// WRONG: --min-bytes: expected a size such as 64k, found 'much'

// A line under a type says nothing of the library's own functions.
// TEXT: by stack
// TEXT-NEXT: {{ 1 +.* }}fail {{(←|<)}} main{{$}}
// TREE-DAG: recurse {{.*}}(recursive)
// TREE-DAG: make {{.*}}(tail call)
// FULL-NOT: (recursive)
// FULL: recurse
// FULL-NEXT: recurse
// CUT: (more callers);recurse;make;Foo

#include <cstdlib>
#include <string>

struct Foo {
  int values[10];
};

static Foo *kept[64];
static int keptCount = 0;

Foo *make() { return new Foo; }

void uses(int count) {
  for (int i = 0; i < count; ++i) {
    Foo *foo = make();
    if (i == 0)
      kept[keptCount++] = foo;
    else
      delete foo;
  }
}

void recurse(int depth) {
  if (depth > 0)
    recurse(depth - 1);
  kept[keptCount++] = make();
}

void twice(int depth);
void again(int depth) {
  delete make();
  if (depth > 0)
    twice(depth - 1);
  asm volatile("");
}
void twice(int depth) {
  again(depth);
  asm volatile("");
}

// Calls through a pointer and leaves its frame.
Foo *jumper() { return make(); }

int compare(const void *a, const void *b) {
  delete make();
  return *static_cast<const int *>(a) - *static_cast<const int *>(b);
}
void callback() {
  int two[] = {2, 1};
  qsort(two, 2, sizeof *two, compare);
}

[[noreturn]] void fail(int code) {
  std::string text(100, 'x');
  throw static_cast<int>(text.size()) + code;
}

int main() {
  uses(10);
  recurse(4);
  twice(2);
  for (int i = 0; i < 6; ++i)
    delete jumper();
  callback();
  try {
    fail(1);
  } catch (int) {
  }
}
