// Intent: a block that is one object and something behind it is one object: `elements` counts objects.
// RUN: %table %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stddef.h>
#include <stdlib.h>

struct Flexible { int length; char text[]; };
struct Zero { int length; char text[0]; };
struct Header { int length; };
struct Pointer { int length; int items[]; };
struct Cast { int length; int items[]; };
struct Cleared { int length; int items[]; };
struct Many { int length; };
struct Twice { int length; };
struct Rows { long length; };
struct Offset { long length; char text[]; };
static void *volatile Sink;
volatile size_t N = 40;
#define KEEP(pointer) (Sink = (pointer))
struct Grown { long length; long items[]; };
struct Times { long length; };
/// As languages' runtimes do it: an old block, its size, the new one.
static void *(*volatile Reallocate)(void *, size_t) = realloc;
__attribute__((noinline)) static void *change(void *old, size_t before, size_t after) { (void)before; return Reallocate(old, after); }
__attribute__((noinline)) static void *several(size_t number, size_t size) { return Reallocate(0, number * size); }
static int use(void *p) { return ((struct Cast *)p)->length; }

int main(void) {
  KEEP(malloc(sizeof(struct Flexible) + 40));
  struct Zero *zero = malloc(sizeof *zero + N); KEEP(zero);
  size_t bytes = sizeof(struct Header) + N * 2; KEEP(malloc(bytes));
  struct Pointer *pointer = malloc(N); KEEP(pointer);
  void *block = malloc(N); use(block); KEEP(block);
  KEEP(calloc(1, sizeof(struct Cleared) + N));
  KEEP(malloc(offsetof(struct Offset, text) + N));
  struct Grown *grown = change(NULL, 0, sizeof(struct Grown) + 3 * sizeof(long)); KEEP(grown);
  // Several.
  struct Times *times = several(2, sizeof(struct Times) + sizeof(long)); KEEP(times);
  KEEP(malloc((N + 1) * sizeof(struct Many)));
  KEEP(malloc(N * sizeof(struct Many) + 1));
  KEEP(malloc(sizeof(struct Twice) + sizeof(struct Twice)));
  KEEP(calloc(N, sizeof(struct Rows)));
  return 0;
}
// EXPECT: types["Flexible"].elements == 1 and types["Zero"].elements == 1 and types["Header"].elements == 1
// EXPECT: types["Pointer"].elements == 1 and types["Cast"].elements == 1 and types["Cleared"].elements == 1
// EXPECT: types["Offset"].elements == 1 and types["Grown"].elements == 1 and types["Times"].elements == 4
// EXPECT: types["Many"].elements == 81 and types["Twice"].elements == 2 and types["Rows"].elements == 40
// ALONE: not typed
