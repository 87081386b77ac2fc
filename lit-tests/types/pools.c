// Intent: memory pools of C: blocks of a size that names no type, at whose start the function stores the members of a class. What
// another unit allocates is that class at any size that was asked for; bytes are what their head is, unless the pointer moved before.
// RUN: %table %s
// UNIT: types/allocate.c
// FLAGS: -DSELF -D_POSIX_C_SOURCE=200809L
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>
#include <string.h>

struct Pool { unsigned char *last, *end; struct Pool *next; };
struct Chunk { struct { unsigned used; char mark[4]; } head; struct Chunk *next; };
struct Aligned { void *next; long size; };
struct Moved { int n[3]; };
struct Read { int n[5]; };
struct Left { int n[7]; };
struct Right { int n[9]; };
struct Given { int n[11]; };
void *xmalloc(size_t);
static void *volatile Sink;
volatile size_t N = 509;
static int Sum;

// The pointer is the class's, and the size is a variable's.
__attribute__((noinline)) static struct Pool *make_pool(size_t n) {
  struct Pool *p;
  if (!(p = xmalloc(n)))
    return NULL;
  p->last = (unsigned char *)p + sizeof *p;
  p->end = (unsigned char *)p + n;
  p->next = NULL;
  return p;
}

// The pointer is to bytes, and moves behind the head.
__attribute__((noinline)) static void *grow_pool(struct Pool *q) {
  size_t n = q->end - (unsigned char *)q;
  unsigned char *m = xmalloc(n);
  struct Pool *added = (struct Pool *)m;
  added->end = m + n;
  added->next = NULL;
  m += sizeof(struct Pool);
  added->last = m + 8;
  q->next = added;
  return m;
}

// malloc itself; members of members, and without a second variable.
__attribute__((noinline)) static void *make_chunk(size_t n) {
  char *m = malloc(n);
  ((struct Chunk *)m)->head.mark[1] = 1;
  return m + sizeof(struct Chunk);
}

__attribute__((noinline)) static void *make_aligned(size_t n) {
  char *m;
  if (posix_memalign((void **)&m, 64, n))
    return NULL;
  *(struct Aligned *)m = (struct Aligned){NULL, (long)n};
  return m + sizeof(struct Aligned);
}

// Bytes: what is stored is not at the start, or is only read, or is one of two, or belongs to who gets the block.
__attribute__((noinline)) static void other_bytes(size_t n) {
  char *moved = malloc(n + 1);
  Sink = moved;
  moved += 16;
  ((struct Moved *)moved)->n[0] = 1;
  char *read = calloc(n + 2, 1);
  const struct Read *r = (const struct Read *)read;
  Sum += r->n[0];
  Sink = read;
  char *both = malloc(n + 3);
  if (n & 1)
    ((struct Left *)both)->n[0] = 1;
  else
    ((struct Right *)both)->n[0] = 1;
  Sink = both;
}
__attribute__((noinline)) static char *given(size_t n) {
  char *m = malloc(n + 4);
  ((struct Given *)m)->n[0] = 1;
  return m;
}

int main(void) {
  struct Pool *p = make_pool(N);
  Sink = grow_pool(p);
  Sink = make_chunk(N);
  Sink = make_aligned(N);
  other_bytes(N);
  Sink = given(N);
}
// EXPECT: types["Pool"].allocations == 2 and types["Pool"].allocated_bytes == 2 * 509
// EXPECT: types["Chunk"].allocations == 1 and types["Aligned"].allocations == 1
// EXPECT: types["char"].allocations == 4 and types["char"].allocated_bytes == 4 * 509 + 10
// EXPECT: {row.type for row in typed} == {"Pool", "Chunk", "Aligned", "char"} and not untyped
// ALONE: not typed and totals.allocations == 8
