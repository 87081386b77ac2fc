// Intent: a flame graph's widths are bytes, blocks, what is alive, what was alive at the peak, or time lived;
// after a reset the peak is that since; of a part of the run it is not known, and nothing else is shown instead.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 -fno-inline -I%include %s -o %t.exe
// RUN: env INMEM_OPTIONS=output=%t.inmem:stacks=8 %t.exe
// RUN: %inmem flame --format folded --metric bytes %t.inmem | %FileCheck %s --check-prefix=BYTES
// BYTES-DAG: main;high;make;Foo 1000000
// BYTES-DAG: main;low;Bar 5000
// RUN: %inmem flame --format folded --metric live %t.inmem | %FileCheck %s --check-prefix=LIVE
// LIVE-NOT: Foo
// LIVE: main;low;Bar 5000
// RUN: %inmem flame --format folded --metric peak %t.inmem | %FileCheck %s --check-prefix=PEAK
// PEAK-NOT: Bar
// PEAK: main;high;make;Foo {{99[0-9]...|1000000}}
// RUN: %inmem flame --format folded --metric lived %t.inmem | %FileCheck %s --check-prefix=LIVED
// LIVED-NOT: Bar
// LIVED: main;high;make;Foo {{[1-9][0-9]+}}
// RUN: %inmem flame --metric peak -o %t.svg %t.inmem && %FileCheck %s --check-prefix=SVG < %t.svg
// SVG: <svg

// RUN: env INMEM_OPTIONS=output=%t.reset.inmem:stacks=8 %t.exe reset
// RUN: %inmem flame --format folded --metric peak %t.reset.inmem | %FileCheck %s --check-prefix=RESET
// RESET-NOT: Foo
// RESET: main;low;Bar {{4[4-9]..|5000}}
// RUN: %not %inmem flame --format folded --metric peak --phase low.. %t.inmem 2>&1 | %FileCheck %s --check-prefix=PART
// PART: --metric peak: is kept of the whole run; of a part chosen by --phase, --thread or --lived it is not known

#include <inmem/inmem.h>

struct Foo {
  char bytes[1000];
};
struct Bar {
  char bytes[100];
};
static void *volatile Sink;
static Foo *volatile Some[1000];
static Foo *make() {
  auto *one = new Foo;
  Sink = one;
  return one;
}
static void high() {
  for (auto &one : Some)
    one = make();
  for (auto &one : Some)
    delete one;
}
static void low() {
  for (int i = 0; i < 50; ++i)
    Sink = new Bar;
}

int main(int argc, char **) {
  high();
  inmem_phase("low");
  if (argc > 1)
    inmem_reset();
  low();
  asm volatile(""); // no tail call
}
