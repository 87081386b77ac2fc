// Intent: the user's own allocators, declared by an attribute or named by an option, even where nothing
// at the call says how much they make.
// RUN: %table %s -fplugin-arg-inmem-allocators=pool_get,zone_*
// UNIT: types/allocate.c
// FLAGS: -DSELF
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>

struct O1 { int n[3]; };
struct O2 { int n[5]; };
struct O3 { int n[7]; };
struct O4 { int n[9]; };
void *xmalloc(size_t);
static void *volatile Sink;
volatile size_t N = 4;
#define KEEP(pointer) (Sink = (pointer))

__attribute__((malloc, noinline)) void *by_malloc(size_t n) { return xmalloc(n); }
__attribute__((alloc_size(2, 3), noinline)) void *by_size(int zone, size_t n, size_t size) { (void)zone; return xmalloc(n * size); }
__attribute__((noinline)) void *pool_get(size_t n) { void *p = xmalloc(n); Sink = p; return p; }
__attribute__((noinline)) void *zone_new(int n) { void *p = xmalloc(n * 36); Sink = p; return p; }

int main(void) {
  struct O1 *o1 = by_malloc(N * 12); KEEP(o1);
  KEEP(by_size(1, N, sizeof(struct O2)));
  struct O3 *o3 = pool_get(28); KEEP(o3);
  struct O4 *o4 = zone_new(N); KEEP(o4);
}
// EXPECT: types["O1"].elements == 4 and types["O2"].elements == 4
// EXPECT: types["O3"].elements == 1 and types["O4"].elements == 4
// EXPECT: all(site.kind == "custom" for row in typed for site in row.sites) and not untyped
// ALONE: not typed and totals.allocations == 4
