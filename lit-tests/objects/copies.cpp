// Intent: copies are listed by place with the bytes copied and, with objects=lifetime, the
// allocations made inside their constructors, whoever makes them; a copy that throws ends there.
// RUN: %count-objects %s %t -fplugin-arg-inmem-objects=lifetime
// RUN: %expect %t-O0.json --in %s
// EXPECT: [(c.type, c.copies, c.bytes, c.allocations, c.allocated_bytes) for c in report.copies if c.allocations] == [("Outer", 3, 48, 6, 1500), ("Buffer", 5, 40, 5, 500), ("Buffer", 3, 24, 3, 300)]
// RUN: %expect %t-O2.json 'sorted((c.type, c.copies) for c in report.copies) == [("Buffer", 3), ("Buffer", 5), ("Outer", 3)]'
// RUN: %inmem report --full %t-O0.json.inmem | %FileCheck %s
// RUN: %record %t.stacks.json stacks=16 -- %t-O0
// RUN: %expect %t.stacks.json '[(c.type, c.allocations) for c in report.copies if c.allocations] == [("Outer", 6), ("Buffer", 5), ("Buffer", 3)]'
// CHECK: COPIES
// CHECK: {{^ *}}3 {{.*}}Outer {{.*}}6
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>

struct Buffer {
  Buffer() : p(nullptr) {}
  Buffer(const Buffer &) : p(malloc(100)) { if (!p) abort(); }
  ~Buffer() { free(p); }
  void *p;
};
struct Outer {
  Outer() : p(nullptr) {}
  Outer(const Outer &o) : buffer(o.buffer), p(malloc(400)) { if (!p) abort(); }
  ~Outer() { free(p); }
  Buffer buffer;
  void *p;
};
struct Throws { Throws() {} Throws(const Throws &) { throw 1; } ~Throws() {} };

// OBJECTS Buffer: stack=6 member=4 defaulted=2 copied=8 destroyed=10
// OBJECTS Outer: stack=4 defaulted=1 copied=3 destroyed=4
// OBJECTS Throws: stack=1 defaulted=1 destroyed=1

int main() {
  Outer outer;
  for (int i = 0; i < 3; ++i)
    Outer copy(outer);
  Throws bad;
  try { Throws copy(bad); } catch (int) {}
  free(malloc(7)); // not of any copy
  Buffer buffer;
  for (int i = 0; i < 5; ++i)
    Buffer copy(buffer);
}
