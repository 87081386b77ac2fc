// Intent: malloc and its kin in C are named by sizeof, or else by the pointer
// that the block becomes; without either the type is unknown, never guessed.
// RUN: %clang -O0  -fplugin=%plugin -Rpass=inmem -Rpass-missed=inmem \
// RUN:   -fno-caret-diagnostics -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O2  -fplugin=%plugin -Rpass=inmem -Rpass-missed=inmem \
// RUN:   -fno-caret-diagnostics -c %s -o %t.o 2>&1 | %FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stddef.h>
#include <stdlib.h>

typedef struct { int a, b; } Pair;
struct Node { struct Node *next; int value; };
struct Header { int length; char data[]; };
void sink(void *);
struct Holder { struct Node *node; void *raw; };

struct Node *returned(size_t n) {
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'Node' (malloc)
  return malloc(n);
}

void test(size_t n, struct Holder *holder) {
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'Pair' (malloc)
  sink(malloc(sizeof(Pair)));
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'Pair' (malloc)
  Pair *p = malloc(n * sizeof *p); sink(p);
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'Header' (malloc)
  struct Header *h = malloc(sizeof(struct Header) + n); sink(h);
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'Header' (malloc)
  sink(malloc(offsetof(struct Header, data) + n));
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'Node' (calloc)
  sink(calloc(n, sizeof(struct Node)));
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'Node' (calloc)
  struct Node *nodes = calloc(n, 16); sink(nodes);
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'Node *' (realloc)
  struct Node **list = realloc(nodes, n * sizeof(struct Node *)); sink(list);
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'Node' (malloc)
  holder->node = malloc(n); sink(holder->node);
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'double' (aligned)
  sink(aligned_alloc(64, n * sizeof(double)));
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'Pair' (malloc)
  size_t bytes = n * sizeof(Pair); sink(malloc(bytes));
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'Pair' (malloc)
  void *raw = malloc(n); Pair *used = raw; sink(used);
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'char' (malloc)
  char *text = malloc(n); sink(text);
  // A cast to bytes says less than the type it becomes after all.
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'Node' (malloc)
  struct Node *bytewise = (struct Node *)(unsigned char *)malloc(n); sink(bytewise);
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates memory of unknown type (malloc)
  sink(malloc(n));
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates memory of unknown type (malloc)
  void *mixed = malloc(n); if (n) sink((Pair *)mixed); else sink(((struct Node *)mixed)->next);
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates memory of unknown type (malloc)
  holder->raw = malloc(n); sink(holder->raw);
}

void aligned(size_t n) {
  void *raw;
  struct Node *node;
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'Node' (aligned)
  if (!posix_memalign((void **)&node, 64, n)) sink(node);
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'Pair' (aligned)
  if (!posix_memalign(&raw, 64, n * sizeof(Pair))) sink(raw);
}
