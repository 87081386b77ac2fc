// Intent: a type that a block cannot hold is not shown, one that two rules disagree on follows the
// precedence of docs/types.md, and --diagnostics counts each.
// RUN: %table %s
// REPORT: --diagnostics
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stddef.h>
#include <stdlib.h>

struct Wide { long words[3]; long more; };
struct Narrow { int n; };
struct Base { int tag; };
struct Derived { struct Base base; long more; };
struct Tail { int length; char text[]; };
static void *volatile Sink;
volatile size_t Size, Count = 3;

// The pointer says Wide, the block cannot hold one.
__attribute__((noinline)) void too_small(void) {
  struct Wide *wide = malloc(Size);
  Sink = wide;
}
// The first block could, the others cannot.
__attribute__((noinline)) void later_too_small(size_t size) {
  struct Wide *wide = malloc(size);
  Sink = wide;
}
int main(void) {
  for (Size = 4; Size < 7; ++Size)
    too_small();
  later_too_small(sizeof(struct Wide));
  for (Size = 0; Size < 4; ++Size)
    later_too_small(1);
  // The size says Narrow, the pointer Wide: a class in the size is believed.
  struct Wide *wide = malloc(Count * 16 * sizeof(struct Narrow));
  Sink = wide;
  // The size says int, which is no class: the pointer is believed.
  struct Derived *derived = malloc(Count * 16 * sizeof(int));
  Sink = derived;
  // What begins with the other is no contradiction.
  struct Base *base = malloc(Count * sizeof(struct Derived));
  Sink = base;
  // A struct and a half.
  struct Derived *odd = malloc(Count * 8);
  Sink = odd;
  // As it is meant: an array of any length at the end, or a sum.
  struct Tail *tail = malloc(Count);
  Sink = tail;
  tail = malloc(offsetof(struct Tail, text) + Count);
  Sink = tail;
  struct Wide *and_more = malloc(sizeof(struct Wide) + Count);
  Sink = and_more;
}
// EXPECT: types[None].allocations == 9
// EXPECT: types["Narrow"].allocations == 1 and types["Narrow"].elements == 48
// EXPECT: types["Derived"].allocations == 3 and types["Tail"].allocations == 1
// EXPECT: types["Wide"].allocations == 1 and types["Wide"].allocated_bytes == 35
// EXPECT: report.diagnostics.rules["sizeof"].allocations == 4
// EXPECT: report.diagnostics.rules["pointer"].allocations == 7
// EXPECT: report.diagnostics.rules["none"].allocations == 4
// EXPECT: sorted((doubt.what, doubt.type, doubt.allocations) for doubt in report.diagnostics.doubts if doubt.type) == [("disagree", "Derived", 1), ("disagree", "Narrow", 1), ("remainder", "Derived", 1)]
// EXPECT: sorted((doubt.function, doubt.what, doubt.allocations) for doubt in report.diagnostics.doubts if not doubt.type) == [("later_too_small", "too-small", 5), ("main", "too-small", 1), ("too_small", "too-small", 3)]
// ALONE: not typed and set(report.diagnostics.rules) == {"none"} and not report.diagnostics.doubts
