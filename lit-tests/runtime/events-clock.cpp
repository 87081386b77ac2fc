// Intent: on the events clock two runs give the same report, lifetimes in bytes and in allocations included.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O2 %s -o %t.exe
// RUN: %record %t.1.json clock=events -- %t.exe
// RUN: %record %t.2.json clock=events -- %t.exe
// RUN: %expect %t.1.json 'processes[0].clock == "events"' 'types["Brief"].lifetime.unit != "ns"' \
// RUN:   'types["Brief"].lifetime.p50 < types["Long"].lifetime.p50' 'types["Brief"].lifetime.timed == 1000'
// RUN: %expect %t.1.json 'types["Brief"].lifetime_in_allocations.max == 0' \
// RUN:   'types["Long"].lifetime_in_allocations.min >= 1000' 'types["Long"].lifetime_in_allocations.max == 1009' \
// RUN:   'types["Long"].lifetime_in_allocations.count == 10' 'types["Long"].lifetime_in_allocations.unit == "allocations"'
// RUN: rm -f %t.inmem
// RUN: env INMEM_OPTIONS=clock=events:output=%t.inmem %t.exe
// RUN: %inmem report --full --diagnostics %t.inmem 2>&1 | %FileCheck %s
// CHECK: 0 diagnostics of the reader, 0 of the verifier
// RUN: %expect %t.1.json 'all(json.load(open("%{t}.2.json"))[part] == report[part] for part in ("totals", "types"))'

struct Brief {
  int a;
};
struct Long {
  int a[4];
};
static void *volatile Sink;

int main() {
  Long *longs[10];
  for (auto &one : longs)
    Sink = one = new Long;
  for (int i = 0; i < 1000; ++i) {
    Brief *brief = new Brief;
    Sink = brief;
    delete brief;
  }
  for (auto *one : longs)
    delete one;
}
