// Intent: with objects=lifetime a block is known by the objects constructed inside of it; a
// block of void is of the type that is constructed at its start.
// RUN: %inmem-clangxx -O2 -fplugin-arg-inmem-objects=lifetime %s -o %t && %record %t.json -- %t
// RUN: %expect %t.json 'types["char"].sites[0].held == {"Node": 31}' 'types["char"].sites[0].line == 20' \
// RUN:   'types["Node"].objects.constructed.placed == 32' 'types["Node"].allocations == 1' \
// RUN:   'not any("held" in site for site in types["Node"].sites)'
// RUN: %inmem report --full %t.json.inmem | %FileCheck %s
// CHECK: OBJECTS IN BLOCKS
// CHECK: 31 {{.*}}Node {{.*}}char[4096] {{.*}}arena.cpp:20
// RUN: %inmem-clangxx -O0 %s -o %t && %record %t.json -- %t
// RUN: %expect %t.json 'types["Node"].allocations == 1' 'types["Node"].objects.constructed.placed == 32'
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <new>
#include <stdlib.h>

struct Node { Node() {} ~Node() {} long a[3]; };
struct Arena {
  char *base, *next;
  Arena() {
    base = next = new char[4096];
  }
  ~Arena() { delete[] base; }
  void *take(size_t n) { void *p = next; next += n; return p; }
};

int main() {
  Arena arena;
  Node *nodes[31];
  for (Node *&n : nodes)
    n = new (arena.take(sizeof(Node))) Node;
  for (Node *n : nodes)
    n->~Node();
  void *raw = malloc(sizeof(Node));
  Node *alone = new (raw) Node;
  alone->~Node();
  free(raw);
}
