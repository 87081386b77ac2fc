// Intent: summaries over time give the slope of each type and a finding for one that grows without bound, and
// none for what stays, fills up and empties, or filled up early; periodic= writes them while the program runs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 -I%include %s -o %t.exe
// The rounds are 25 ms apart by the trace, whatever the machine made of them.
// RUN: env INMEM_OPTIONS=output=%t.real.inmem %t.exe
// RUN: %inmem dump %t.real.inmem | %python %S/Inputs/paced.py > %t.txt && %assemble -o %t.inmem %t.txt
// RUN: %inmem report --by time --format json %t.inmem > %t.json
// RUN: %expect %t.json '[f["type"] for f in report["findings"] if f["rule"] == "unbounded-growth"] == ["Leaked"]' \
// RUN:   'len(report["timeline"]["points"]) >= 40' \
// RUN:   '[t["slope"]["bytes_per_second"] > 0 for t in report["timeline"]["types"] if t["type"] == "Leaked"] == [True]' \
// RUN:   '[t["grows_without_bound"] for t in report["timeline"]["types"] if t["type"] in ("Steady", "Cached", "Sawtooth")] == [False] * 3'
// RUN: %inmem report --by time %t.inmem | %FileCheck %s
// CHECK: OVER TIME
// CHECK-NEXT: ! Leaked grows without bound:
// CHECK-NOT: grows without bound

// A stable program has none.
// RUN: env INMEM_OPTIONS=output=%t.real.inmem %t.exe stable
// RUN: %inmem dump %t.real.inmem | %python %S/Inputs/paced.py > %t.txt && %assemble -o %t.stable.inmem %t.txt
// RUN: %inmem report --by time %t.stable.inmem | %FileCheck %s --check-prefix=STABLE
// STABLE: OVER TIME
// STABLE-NOT: grows without bound

// RUN: %python %S/Inputs/periodic.py %t.exe %t.periodic.inmem

#include <cstdio>
#include <cstring>
#include <inmem/inmem.h>

struct Leaked {
  char bytes[1000];
};
struct Steady {
  char bytes[4000];
};
struct Cached {
  char bytes[3000];
};
struct Sawtooth {
  char bytes[2000];
};
static void *volatile Sink;
static Cached *volatile Cache[8];
static Sawtooth *volatile Some[5];

static void round(int i, bool stable) {
  if (!stable)
    Sink = new Leaked;
  auto *steady = new Steady;
  Sink = steady;
  if (i < 6)
    Cache[i] = new Cached;
  if (i % 5 == 0)
    for (auto &one : Some) {
      delete one;
      one = nullptr;
    }
  Some[i % 5] = new Sawtooth;
  delete steady;
}

int main(int argc, char **argv) {
  const bool stable = argc > 1 && !std::strcmp(argv[1], "stable");
  if (argc > 1 && !stable) { // step by step
    setvbuf(stdin, nullptr, _IONBF, 0);
    setvbuf(stdout, nullptr, _IONBF, 0);
    char line[16];
    std::puts("ready");
    for (int i = 0; std::fgets(line, sizeof line, stdin); ++i) {
      round(i, false);
      std::puts("ready");
    }
    return 0;
  }
  static Steady *volatile kept = new Steady;
  (void)kept;
  for (int i = 0; i < 40; ++i) {
    round(i, stable);
    inmem_snapshot("round");
  }
}
