// Intent: where C hides a type: the value of a statement expression, a member behind an unnamed bit-field, sizes
// that are computed from each other, the first class of a sum, a union that may be either of two, one cast behind
// another; and what is no type of a block: an alignment, or a cast far away where the size says bytes.
// RUN: %table %s
// REPORT: --diagnostics
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>

struct Value { int n[3]; };
struct Behind { int n[5]; };
struct Circle { int n[7]; };
struct Distant { int n[13]; };
struct Nearest { int n[15]; };
struct Aligned { long n[3]; };
struct Further { int n[17]; };
struct Chosen { int n[19]; };
struct Assigned { int n[21]; };
struct Sized { int n[23]; };
struct Away { int n[25]; };
struct Ends { long length; char text[40]; };
struct Head { int n[2]; };
struct Body { int n[9]; };
struct Either { int n[11]; };
struct Other { int n[12]; };
union Any { struct Other other; struct Either either; };

static void *volatile Sink;
volatile size_t N = 4;

// The name and the type before are no part of the members.
struct record {
  unsigned kind : 3;
  unsigned : 5;
  void *data;
};
__attribute__((noinline)) static struct record make_record(void) {
  struct record made = {1, malloc(N * 20)};
  return made;
}
static int use_record(const struct record *r) { return ((struct Behind *)r->data)->n[0]; }

// The program's own, which may or may not allocate.
__attribute__((noinline)) void *take(size_t size) { return malloc(size); }

__attribute__((noinline)) static void use_bytes(void *bytes) { ((struct Further *)bytes)->n[0] = 1; }

int main(void) {
  struct Value *value = ({
    size_t size = N * 12;
    malloc(size);
  });
  Sink = value;
  struct record record = make_record();
  ((struct Behind *)record.data)->n[0] = 1;
  int sum = use_record(&record);

  size_t a = N * 28, b = a;
  a = b;
  struct Circle *circle = malloc(a);
  Sink = circle;

  // Through as many variables as there are.
  const size_t first = N * sizeof(struct Distant), second = first, third = second;
  Sink = malloc(third);

  const size_t need = sizeof(struct Head) + sizeof(struct Body);
  struct Body *body = take(need);
  Sink = body;

  // Which member it is, is not known: no contradiction.
  union Any *any = malloc(N * sizeof(struct Either));
  Sink = any;

  // The cast nearest to the call.
  struct Head *nearest = (struct Head *)(struct Nearest *)malloc(N * 60);
  Sink = nearest;
  Sink = malloc(N * _Alignof(struct Aligned));
  void *bytes = malloc(N * 17 * sizeof(char));
  use_bytes(bytes);
  Sink = bytes;

  // A struct may end in an array of which only a part is there.
  struct Ends *ends = malloc(N * 4);
  Sink = ends;
  struct Chosen *chosen = N > 100 ? NULL : malloc(N * 76);
  Sink = chosen;
  void *made = malloc(N * 84), *assigned;
  assigned = made;
  ((struct Assigned *)assigned)->n[0] = 1;
  Sink = assigned;
  size_t sized;
  sized = N * sizeof(struct Sized);
  Sink = malloc(sized);
  // Three steps are followed, no more.
  void *start = malloc(N * 100), *one = start, *two = one, *three = two, *four = three;
  ((struct Away *)four)->n[0] = 1;
  Sink = four;
  return sum != 1;
}
// EXPECT: types["Value"].allocations == 1
// EXPECT: types["Behind"].allocations == 1
// EXPECT: types["Circle"].allocations == 1
// EXPECT: types["Body"].allocations == 1
// EXPECT: types["Either"].allocations == 1
// EXPECT: types["Chosen"].allocations == 1 and types["Assigned"].allocations == 1 and types["Sized"].allocations == 1
// EXPECT: types["Ends"].allocations == 1 and types["Ends"].allocated_bytes == 16
// EXPECT: types["Nearest"].allocations == 1 and "Head" not in types
// EXPECT: types["char"].allocations == 1 and "Further" not in types
// EXPECT: types["Distant"].elements == 4 and types[None].allocations == 2 and not {"Aligned", "Away"} & {row.type for row in typed}
// EXPECT: [doubt.type for doubt in report.diagnostics.doubts if doubt.what == "disagree"] == ["Body"]
