// Intent: functions that store a block where a pointer argument points to, as posix_memalign does: the type
// that the call's size names, where what is stored is a new block of that size.
// RUN: %table %s
// UNIT: types/store.c
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>

struct O1 { int n[3]; };
struct O2 { int n[5]; };
struct O3 { int n[7]; };
struct O4 { int n[9]; };
struct O5 { int n[11]; };
struct O6 { int n[13]; };
struct O7 { int n[15]; };
struct O8 { int n[17]; };
struct O9 { int n[19]; };
struct O10 { int n[21]; };
int store(void **, size_t);
int store_array(void **, size_t count, size_t size, int flags);
int store_part(void **, size_t);
int store_nothing(void **, size_t);
int store_other(void **, size_t);

static void *volatile Sink;
volatile size_t N = 4;
#define KEEP(pointer) (Sink = (pointer))

static int here(void **to, size_t size) { *to = malloc(size); return *to ? 0 : -1; }
__attribute__((noinline)) static int apart(size_t size, void **to) { return (*to = calloc(1, size)) != NULL; }
struct holder { int n; struct O5 *o5; };
int (*volatile pointer)(void **, size_t) = store;

int main(void) {
  struct O1 *o1; if (here((void **)&o1, sizeof *o1)) return 1; KEEP(o1);
  struct O2 *o2; if (!apart(sizeof *o2, (void **)&o2)) return 1; KEEP(o2);
  struct O3 *o3; if (store((void **)&o3, sizeof(struct O3))) return 1; KEEP(o3);
  struct O4 *o4; if (store_array((void **)&o4, N, sizeof *o4, 0)) return 1; KEEP(o4);
  struct holder holder; if (store((void **)&holder.o5, N * sizeof *holder.o5)) return 1; KEEP(holder.o5);
  void *o6; if (store(&o6, sizeof(struct O6))) return 1; KEEP(o6);
  struct O7 *o7; if (pointer((void **)&o7, sizeof *o7)) return 1; KEEP(o7);
  struct O8 *o8; if (store_part((void **)&o8, sizeof *o8)) return 1; KEEP(o8);   // no block of its own
  KEEP(malloc(sizeof(struct O9) + N - 4));
  struct O9 *o9 = Sink; if (!store_nothing((void **)&o9, 3 * sizeof *o9)) return 1; // what it held is no news
  struct O10 *o10; if (store_other((void **)&o10, sizeof *o10)) return 1; KEEP(o10); // another size
  return 0;
}
// EXPECT: [types[f"O{n}"].elements for n in (1, 2, 3, 4, 5, 6, 7)] == [1, 1, 1, 4, 4, 1, 1]
// EXPECT: [types[f"O{n}"].allocations for n in (1, 2, 3, 4, 5, 6, 7)] == [1, 1, 1, 1, 1, 1, 1]
// EXPECT: not [row.type for row in typed if row.type in ("O8", "O9", "O10", "holder")] or types["O9"].sites[0].function == "main"
// ALONE: not [row.type for row in typed if row.type.startswith("O")]
