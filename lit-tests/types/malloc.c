// Intent: the C allocation functions by sizeof(T), sizeof *p, n * sizeof(T), sizeof(T) + n, a cast,
// or the pointer that the block is assigned or returned to.
// RUN: %table %s
// MODES: c11 c17
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define _GNU_SOURCE
#include <malloc.h>
#include <stddef.h>
#include <stdlib.h>

struct S1 { int a[3]; };
struct S2 { long a[3]; };
struct S3 { short a[3]; };
struct S4 { int length; char text[]; };
struct S5 { double a[3]; };
struct S6 { float a[3]; };
struct S7 { char a[3]; };
struct S8 { int a[5]; };
typedef struct { int a[7]; } S9;
struct S10 { int a[11]; };
struct S11 { int a[13]; };
enum Color { Red, Green };
union Either { long whole; int halves[2]; };
static void *volatile Sink;
volatile size_t N = 4;

#define KEEP(pointer) (Sink = (pointer))
#define NEW(type) ((type *)malloc(sizeof(type)))

struct S6 *returned(size_t n) { return malloc(n); }
static void stored(struct S7 **place) { *place = malloc(N * 3); KEEP(*place); }

int main(void) {
  KEEP(malloc(sizeof(struct S1)));
  struct S2 *s2 = malloc(sizeof *s2); KEEP(s2);
  struct S3 *s3 = calloc(N, sizeof(struct S3)); KEEP(s3);
  struct S4 *s4 = malloc(sizeof(struct S4) + N); KEEP(s4);
  KEEP((struct S5 *)malloc(N * 24));
  KEEP(returned(N * 12));
  struct S7 *s7; stored(&s7);
  struct S8 *s8 = malloc(20); s8 = realloc(s8, N * sizeof *s8); KEEP(s8);
  KEEP(reallocarray(NULL, N, sizeof(S9)));
  struct S10 *s10 = aligned_alloc(64, 64); KEEP(s10);
  struct S11 *s11; if (posix_memalign((void **)&s11, 64, N * sizeof *s11) == 0) KEEP(s11);
  KEEP(NEW(enum Color));
  KEEP(NEW(union Either));
  struct S1 **pointers = malloc(N * sizeof(struct S1 *)); KEEP(pointers);
  size_t bytes = N * sizeof(double); KEEP(malloc(bytes));
  struct S2 *chosen = N > 2 ? malloc(sizeof *chosen) : NULL; KEEP(chosen);
  KEEP(malloc(17)); // nobody says what this is
}
// EXPECT: types["S1"].allocations == 1 and types["S1"].elements == 1 and types["S1"].size == 12
// EXPECT: types["S2"].allocations == 2 and types["S2"].allocated_bytes == 48
// EXPECT: types["S3"].allocations == 1 and types["S3"].elements == 4
// EXPECT: types["S4"].allocations == 1 and types["S4"].allocated_bytes == 8
// EXPECT: types["S5"].allocations == 1 and types["S5"].elements == 4
// EXPECT: types["S6"].allocations == 1 and types["S6"].elements == 4
// EXPECT: types["S7"].allocations == 1 and types["S7"].elements == 4
// EXPECT: types["S8"].allocations == 2 and types["S8"].live_allocations == 1 and types["S8"].live_bytes == 80
// EXPECT: types["S9"].allocations == 1 and types["S9"].elements == 4
// EXPECT: types["S10"].allocations == 1 and types["S10"].align == 4
// EXPECT: types["S11"].allocations == 1 and types["S11"].elements == 4
// EXPECT: types["Color"].allocations == 1 and types["Either"].allocations == 1
// EXPECT: types["S1 *"].elements == 4 and types["double"].elements == 4
// EXPECT: types[None].allocations == 1 and types[None].allocated_bytes == 17
// EXPECT: totals.allocations == 18
// ALONE: not typed and totals.allocations == 18
