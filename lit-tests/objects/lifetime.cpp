// Intent: objects=lifetime times every object apart from the blocks, knows how many were
// alive at most and which are alive still, by the place that made them; the counts are those
// of objects=count.
// RUN: %count-objects %s %t -fplugin-arg-inmem-objects=lifetime
// RUN: %record %t.json clock=events -- %t-O0
// RUN: %expect %t.json 'types["Node"].objects.peak_alive == 5' 'types["Node"].objects.lifetime.count == 7' \
// RUN:   'types["Node"].objects.lifetime.timed == 7' 'types["Node"].objects.lifetime.unit == "bytes"' \
// RUN:   'types["Node"].objects.lifetime.max == 5000' \
// RUN:   'sum(1 for b in types["Node"].objects.lifetime.histogram if b["from"] <= 5000 < b["to"] and b["count"] == 1) == 1' \
// RUN:   'types["Node"].objects.destroyed_in.stack == 2' 'types["Node"].objects.destroyed_in.heap == 5' \
// RUN:   '[(s.alive, s.storage) for s in types["Node"].objects.sites if s.alive] == [(1, "heap")]' \
// RUN:   'types["Node"].allocations == 3' 'types["Node"].lifetime.count == 2' \
// RUN:   'types["Inner"].objects.peak_alive == 5' 'types["Inner"].objects.alive == 1'
// RUN: %inmem report --full %t.json.inmem | %FileCheck %s
// CHECK: OBJECTS
// CHECK: {{^ *}}class {{.*}}peak
// RUN: %inmem dump %t.json.inmem | %FileCheck --check-prefix=DUMP %s
// DUMP: kind=object
// DUMP-NOT: finding
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An object and its first member lie at the same address.
struct Inner { Inner() {} ~Inner() {} int i; };
struct Node { Inner first; Node() {} ~Node() {} int n; };

// OBJECTS Node: heap=6 stack=2 defaulted=8 destroyed=7 alive=1
// OBJECTS Inner: member=8 defaulted=8 destroyed=7 alive=1

Node *volatile kept;

int main() {
  {
    Node alone;
    delete[] new char[5000];
  }
  Node *array = new Node[4];
  Node *one = new Node;
  kept = one;
  delete one;
  delete[] array;
  Node *leaked = new Node;
  kept = leaked;
  Node last;
}
