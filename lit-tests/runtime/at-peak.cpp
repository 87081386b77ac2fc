// Intent: what each type and site had alive at the process's peak is told exactly where the trace can say it, and within
// bounds that hold elsewhere: the program keeps its own accounts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 -I%include -pthread %s -o %t.exe
// Few blocks: all of it is exact.
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem %t.exe few > %t.truth
// RUN: %inmem report --format json %t.inmem > %t.json
// RUN: %python %S/Inputs/at_peak.py --exact 1 %t.truth %t.json
// RUN: %inmem report --full %t.inmem | %FileCheck %s --check-prefix=TEXT
// TEXT: ALIVE AT THE PEAK of
// TEXT: Sized<7> {{ *}}56 B {{ *}}7
// TEXT: STILL ALIVE
// RUN: %inmem report --format csv --by site %t.inmem | %FileCheck %s --check-prefix=CSV
// CSV: at_peak_bytes,at_peak_blocks,at_peak_bytes_at_most,at_peak_blocks_at_most
// CSV: Sized<7>{{.*}},56,7,56,7

// Many: most types are exact after a plateau, all within bounds on a random way.
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem %t.exe steps > %t.truth
// RUN: %inmem report --format json %t.inmem > %t.json
// RUN: %python %S/Inputs/at_peak.py --exact 0.8 %t.truth %t.json
// RUN: sh -c 'for seed in 1 2 3 4 5 6; do rm -f %t.inmem; INMEM_OPTIONS=output=%t.inmem %t.exe random $seed > %t.truth && \
// RUN:   %inmem report --format json %t.inmem > %t.json && %python %S/Inputs/at_peak.py --exact 0 %t.truth %t.json || exit 1; done'
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem:stacks=4:mode=trace %t.exe random 7 > %t.truth
// RUN: %inmem report --format json %t.inmem > %t.json
// RUN: %python %S/Inputs/at_peak.py --exact 0 %t.truth %t.json

// A reset and a phase: the peak is that of what came since.
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem %t.exe reset > %t.truth
// RUN: %inmem report --format json %t.inmem > %t.json
// RUN: %python %S/Inputs/at_peak.py --exact 0 %t.truth %t.json
// Samples say nothing of it.
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem:every=3 %t.exe few > %t.truth
// RUN: %inmem report --format json %t.inmem | %FileCheck %s --check-prefix=NONE
// NONE-NOT: "at_peak"

#include <inmem/inmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utility>

constexpr int kTypes = 12;
template <int N> struct Sized {
  char bytes[N == 7 ? 8 : 13 * N + 1];
};
static long live[kTypes], high, most[kTypes], all;
static void *kept[kTypes][40000];
static long size_of[kTypes];

static void raise() {
  if (all <= high)
    return;
  high = all;
  memcpy(most, live, sizeof live);
}

template <int N> __attribute__((noinline)) static void make() {
  Sized<N> *volatile made = new Sized<N>;
  kept[N][live[N]++] = made;
  all += static_cast<long>(sizeof(Sized<N>));
  size_of[N] = sizeof(Sized<N>);
  raise();
}
template <int N> __attribute__((noinline)) static void drop() {
  delete static_cast<Sized<N> *>(kept[N][--live[N]]);
  all -= static_cast<long>(sizeof(Sized<N>));
}
using Step = void (*)();
template <int... N> static void table(Step *makes, Step *drops, std::integer_sequence<int, N...>) {
  ((makes[N] = make<N>, drops[N] = drop<N>), ...);
}
static Step makes[kTypes], drops[kTypes];

static void change(int type, long by) {
  for (; by > 0; --by)
    makes[type]();
  for (; by < 0; ++by)
    drops[type]();
}

static unsigned state;
static unsigned next(unsigned below) {
  state = state * 1664525 + 1013904223;
  return (state >> 8) % below;
}
static void wander(int rounds) {
  for (int i = 0; i < rounds; ++i) {
    const int type = static_cast<int>(next(kTypes));
    long by = static_cast<long>(next(300)) - 140;
    if (by < -live[type])
      by = -live[type];
    if (live[type] + by >= 40000)
      by = 0;
    change(type, by);
  }
}

int main(int argc, char **argv) {
  table(makes, drops, std::make_integer_sequence<int, kTypes>());
  const char mode = argc > 1 ? argv[1][0] : 'f';
  state = argc > 2 ? static_cast<unsigned>(atoi(argv[2])) : 1;
  if (mode == 'f') {
    for (int type = 0; type < kTypes; ++type)
      change(type, type);
    change(3, -2);
    change(4, -4);
    change(5, 1);
  } else if (mode == 's') {
    for (int type = 0; type < kTypes; ++type) {
      change(type, 3000);
      change(type, -100 * type);
    }
    for (int i = 0; i < 2000; ++i) {
      change(0, 2);
      change(0, -2);
    }
    change(1, 5000);
  } else {
    if (strcmp(argv[1], "reset") == 0) {
      wander(300);
      for (int type = 0; type < kTypes; ++type)
        change(type, -live[type]);
      inmem_reset();
      high = 0;
      wander(100);
      inmem_phase("second");
    }
    wander(300);
  }
  for (int type = 0; type < kTypes; ++type)
    change(type, -live[type]);
  for (int type = 0; type < kTypes; ++type)
    printf("Sized<%d> %ld %ld\n", type, most[type] * size_of[type], most[type]);
  return 0;
}
