// Intent: allocators that are declared with sizes of 32 bits, as in programs older than 64-bit machines, are hooked
// and typed as with <stdlib.h>.
// RUN: %table %s
// FLAGS: -w
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
extern void *malloc(unsigned), *calloc(unsigned, unsigned), *realloc(void *, int);
extern void free(void *);

struct N1 { struct N1 *next; int v; };
struct N2 { int n[3]; };
struct N3 { int n[5]; };
struct N4 { int n[7]; };

void *volatile Sink;
volatile unsigned N = 4;
#define KEEP(pointer) (Sink = (void *)(pointer))

static struct N1 *make(int v) {
  struct N1 *made = (struct N1 *)malloc(sizeof(struct N1));
  made->v = v;
  return made;
}
static void *xmalloc(unsigned size) { return malloc(size); }

int main(void) {
  struct N1 *first = KEEP(make(1));
  free(first);
  KEEP((struct N2 *)calloc(N, sizeof(struct N2)));
  struct N3 *grown = KEEP((struct N3 *)malloc(sizeof(struct N3)));
  KEEP((struct N3 *)realloc(grown, N * sizeof(struct N3)));
  KEEP((struct N4 *)xmalloc(N * sizeof(struct N4)));
  return 0;
}
// EXPECT: types["N1"].allocations == 1 and types["N1"].frees == 1 and types["N2"].elements == 4
// EXPECT: types["N3"].allocations == 2 and types["N3"].allocated_bytes == 100 and types["N4"].allocated_bytes == 112
// EXPECT: not untyped
// ALONE: not [row.type for row in typed if row.type.startswith("N")]
