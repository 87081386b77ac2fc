// Intent: allocators declared as before ANSI C, whatever they are said to return, with arguments of
// any width: the type is that of the cast or the size, as with <stdlib.h>.
// RUN: %table %s
// MODES: gnu89
// FLAGS: -w
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
extern char *malloc(), *calloc(), *realloc(), *memalign();
extern free();

struct K1 { struct K1 *next; int v; };
struct K2 { int n[3]; };
struct K3 { int n[5]; };
struct K4 { int n[7]; };
struct K5 { int n[9]; };
struct K6 { int n[32]; };

void *volatile Sink;
volatile unsigned N = 4;
#define KEEP(pointer) (Sink = (void *)(pointer))

static struct K1 *make(v) int v; {
  struct K1 *made = (struct K1 *)malloc(sizeof(struct K1));
  made->v = v;
  return made;
}
static char *xmalloc(size) unsigned size; {
  char *block = malloc(size);
  return block;
}

int main() {
  KEEP(make(1));
  KEEP((struct K2 *)calloc(2, sizeof(struct K2)));
  KEEP((struct K3 *)realloc((char *)0, sizeof(struct K3)));
  KEEP((struct K4 *)xmalloc(sizeof(struct K4)));
  KEEP((struct K5 *)malloc((unsigned)(N * sizeof(struct K5))));
  KEEP((struct K6 *)memalign(64, (unsigned)sizeof(struct K6)));
  KEEP((double **)malloc((unsigned)(N * sizeof(double *))));
  struct K1 *grown = (struct K1 *)realloc((char *)make(2), 2 * sizeof(struct K1));
  free(grown);
  return 0;
}
// EXPECT: types["K1"].allocations == 3 and types["K1"].frees == 2 and types["K2"].elements == 2
// EXPECT: types["K3"].allocations == 1 and types["K4"].allocations == 1 and types["K5"].elements == 4
// EXPECT: types["K6"].allocations == 1 and types["K6"].sites[0].kind == "aligned" and types["double *"].elements == 4
// EXPECT: not untyped
// ALONE: not [row.type for row in typed if row.type.startswith("K")]
