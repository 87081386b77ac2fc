// Intent: where C hides a type: the value of a statement expression, a member behind an unnamed bit-field, sizes
// that are computed from each other, the first class of a sum, a union that may be either of two.
// RUN: %table %s
// REPORT: --diagnostics
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>

struct Value { int n[3]; };
struct Behind { int n[5]; };
struct Circle { int n[7]; };
struct Distant { int n[13]; };
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

  // Two variables are followed, no more.
  const size_t first = N * sizeof(struct Distant), second = first, third = second;
  Sink = malloc(third);

  const size_t need = sizeof(struct Head) + sizeof(struct Body);
  struct Body *body = take(need);
  Sink = body;

  // Which member it is, is not known: no contradiction.
  union Any *any = malloc(N * sizeof(struct Either));
  Sink = any;
  return sum != 1;
}
// EXPECT: types["Value"].allocations == 1
// EXPECT: types["Behind"].allocations == 1
// EXPECT: types["Circle"].allocations == 1
// EXPECT: types["Body"].allocations == 1
// EXPECT: types["Either"].allocations == 1
// EXPECT: types[None].allocations == 1 and "Distant" not in types
// EXPECT: [doubt.type for doubt in report.diagnostics.doubts if doubt.what == "disagree"] == ["Body"]
