// Intent: functions without attributes that only forward a block they got: the type is the one at their
// call, in this unit by analysis, in another unit or library where the call has a sizeof that fits.
// RUN: %table %s
// UNIT: table/allocate.c
// LIBRARY: table/library.c -fno-optimize-sibling-calls
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>

struct W1 { int n[3]; };
struct W2 { int n[5]; };
struct W3 { int n[7]; };
struct W4 { int n[9]; };
struct W5 { int n[11]; };
struct W6 { int n[13]; };
struct W7 { int n[15]; };
struct W8 { int n[17]; };
struct W9 { int n[19]; };
void *xmalloc(size_t);
void *xcalloc(size_t, size_t);
void *packet(size_t);
void *part(size_t);
void *lib_malloc(size_t);
void *lib_array(size_t, size_t);
char *lib_name(void);

static void *volatile Sink;
volatile size_t N = 4;
#define KEEP(pointer) (Sink = (pointer))

// g_malloc, av_malloc: in this unit, with a check, one through another.
static void *checked(size_t n) { void *p = malloc(n); if (!p) abort(); return p; }
__attribute__((noinline)) static void *zeroed(size_t n) { return n ? calloc(1, n) : NULL; }
__attribute__((noinline)) static void *twice(size_t n, size_t size) { return zeroed(n * size); }

int main(void) {
  struct W1 *w1 = checked(N * 12); KEEP(w1);
  KEEP((struct W2 *)zeroed(sizeof(struct W2)));
  struct W3 *w3 = twice(N, sizeof *w3); KEEP(w3);
  struct W4 *w4 = xmalloc(N * sizeof *w4); KEEP(w4);
  struct W5 *w5 = xcalloc(N, sizeof(struct W5)); KEEP(w5);
  struct W6 *w6 = part(sizeof(struct W6)); KEEP(w6);   // no block of its own, nor is the next
  struct W6 *more = part(sizeof(struct W6)); KEEP(more);
  struct W7 *w7 = packet(N); KEEP(w7);                 // nothing says how much it makes
  struct W8 *w8 = lib_malloc(sizeof(struct W8)); KEEP(w8);
  struct W9 *w9 = lib_array(N, sizeof(struct W9)); KEEP(w9);
  KEEP(lib_name());
}
// EXPECT: types["W1"].elements == 4 and types["W2"].elements == 1 and types["W3"].elements == 4
// EXPECT: types["W4"].elements == 4 and types["W5"].elements == 4 and types["W4"].sites[0].kind == "custom"
// EXPECT: types["W8"].elements == 1 and types["W9"].elements == 4
// EXPECT: not [row.type for row in typed if row.type in ("W6", "W7")]
// EXPECT: sorted((site.function, site.allocated_bytes) for site in untyped) == [("packet", 20), ("part", 4096)] or types["char"].allocated_bytes == 4096
// EXPECT: [site.allocated_bytes for row in report.types if row.type is None for site in row.sites if site.function == "lib_name"] == [10]
// ALONE: not [row.type for row in typed if row.type.startswith("W")]
