// Intent: functions without attributes that only forward a block they got: the type is the one at their
// call, in this unit by analysis, in another unit or library where the call has a sizeof that fits.
// RUN: %table %s
// UNIT: types/allocate.c
// LIBRARY: types/library.c -fno-optimize-sibling-calls
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
struct W10 { int n[21]; };
struct W11 { int n[23]; };
struct W12 { int n[25]; };
struct W13 { int n[27]; };
struct W14 { int n[29]; };
void *xmalloc(size_t);
void *xzalloc_array(size_t, size_t, int);
void *kept(int, size_t, const char *, int);
void *named(size_t, size_t, const char *, int);
void *previous(size_t);
void *inside(size_t);
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
  struct W10 *w10 = xzalloc_array(N, sizeof *w10, 0); KEEP(w10); // a flag behind the sizes
  struct W11 *w11 = kept(N, sizeof *w11, __FILE__, __LINE__); KEEP(w11);
  KEEP((struct W12 *)named(N, sizeof(struct W12), "w12", 0)); // not the newest any more
  KEEP((long *)named(N, sizeof(long), "l", 0));
  struct W13 *w13 = previous(sizeof *w13); KEEP(w13); // not made by the call that returns it
  struct W13 *more13 = previous(sizeof *w13); KEEP(more13);
  struct W14 *w14 = inside(sizeof *w14); KEEP(w14);
}
// EXPECT: types["W1"].elements == 4 and types["W2"].elements == 1 and types["W3"].elements == 4
// EXPECT: types["W4"].elements == 4 and types["W5"].elements == 4 and types["W4"].sites[0].kind == "custom"
// EXPECT: types["W8"].elements == 1 and types["W9"].elements == 4
// EXPECT: types["W10"].elements == 4 and types["W11"].elements == 4 and types["W12"].elements == 4 and types["long"].elements == 4
// EXPECT: not [row.type for row in typed if row.type in ("W6", "W7", "W13", "W14")]
// EXPECT: sorted((site.function, site.allocated_bytes) for site in untyped) == [("packet", 20), ("previous", 216)]
// EXPECT: [site.allocated_bytes for row in report.types if row.type is None for site in row.sites if site.function == "lib_name"] == [10]
// ALONE: not [row.type for row in typed if row.type.startswith("W")]
