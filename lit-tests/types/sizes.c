// Intent: a variable says what a size is made of only where every way to the call agrees; a block that
// is smaller than a type is never of it.
// RUN: %table %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>
#include <string.h>

struct A { int n[1]; };
struct B { int n[16]; };
struct If { int n[2]; };
struct Switch { int n[3]; };
struct Loop { int n[4]; };
struct Straight { int n[5]; };
struct Thrice { int n[6]; };
struct Ends { int n[7]; };
struct Only { int n[8]; };
struct Later { int n[9]; };
struct Constant { int n[10]; };
struct Global { int n[11]; };
struct Added { int n[12]; };
struct Chosen { int n[13]; };
struct Do { int n[15]; };
struct Chain { int n[17]; };
struct Tail { int n; char text[]; };
struct First { int n[18]; };
struct Second { int n[19]; };
static void *volatile Sink;
volatile int Which = 1;
#define KEEP(pointer) (Sink = (pointer))
#define NOINLINE __attribute__((noinline)) static

// What differs says nothing. Each of these makes blocks without a type.
NOINLINE void by_if(int c) {
  size_t n;
  if (c == 1)
    n = sizeof(struct A);
  else
    n = sizeof(struct B);
  void *p = malloc(n);
  KEEP(p);
}
NOINLINE void by_switch(int c) {
  size_t n = 0;
  switch (c) {
  case 1: n = sizeof(struct A); break;
  case 2: n = 5;
  default: n = sizeof(struct B);
  }
  KEEP(malloc(n));
}
NOINLINE void by_choice(int c) { KEEP(malloc(c == 1 ? sizeof(struct A) : sizeof(struct B))); }
NOINLINE void by_and(int c) {
  size_t n = sizeof(struct B);
  (void)(c == 1 && (n = sizeof(struct A)));
  KEEP(malloc(n));
}
NOINLINE void by_loop(int c) {
  size_t n = sizeof(struct A), m = sizeof(struct A);
  for (int i = 0; i < 2; ++i) {
    KEEP(malloc(n));
    n = m, m = sizeof(struct B);
  }
  while (c-- > 0)
    n = sizeof(struct A);
  KEEP(malloc(n));
}
NOINLINE void by_goto(int c) {
  size_t n = sizeof(struct A);
again:
  KEEP(malloc(n));
  n = sizeof(struct B);
  if (c-- > 0)
    goto again;
}
NOINLINE void by_device(int c) {
  size_t n = sizeof(struct A);
  switch (c) {
  case 0:
    do {
      n = sizeof(struct B);
  case 1:
      KEEP(malloc(n));
    } while (--c > 0);
  }
}
NOINLINE void write_to(size_t *n) { *n = sizeof(struct A); }
NOINLINE void by_address(void) {
  size_t n = sizeof(struct B);
  write_to(&n);
  KEEP(malloc(n));
}
static size_t node = sizeof(struct B);
NOINLINE void by_global(void) { KEEP(malloc(node)); }

// Known to be too small.
void *global;
NOINLINE void too_small(void) {
  struct B *b = malloc(4);
  KEEP(b);
  Sink = global = malloc(1);
  size_t n = 8;
  void *p = malloc(n);
  memset(p, 0, 8);
  if (Which > 5)
    ((struct B *)p)->n[15] = 1;
  KEEP(p);
  b = malloc(Which ? sizeof(struct A) : sizeof(struct B));
  KEEP(b);
}
int use_global(void) { return ((struct B *)global)->n[15]; }

// What agrees says it.
NOINLINE void agree(int c) {
  size_t n;
  if (c == 1)
    n = sizeof(struct If);
  else if (c == 2)
    n = 3 * sizeof(struct If);
  else
    abort();
  KEEP(malloc(n));
  switch (c) {
  case 1: n = sizeof(struct Switch); break;
  case 2: n = sizeof(struct A); // and on
  default: n = 2 * sizeof(struct Switch);
  }
  KEEP(malloc(n));
  for (int i = 0; i < 2; ++i) {
    n = sizeof(struct Loop);
    KEEP(malloc(n));
    n = 0;
    if (i == 1)
      continue;
  }
  n = sizeof(struct Straight);
  KEEP(malloc(n));
  if (c == 3) {
    n = sizeof(struct A);
    KEEP(malloc(n));
    return;
  }
  KEEP(malloc(n));
  n = sizeof(struct Thrice);
  do {
    if (c == 4)
      n = sizeof(struct Ends);
    else
      break;
    c = 5;
  } while (c < 2);
  if (c == 5)
    n = sizeof(struct Thrice);
  else
    n = sizeof(struct Thrice) * 2;
  KEEP(malloc(n));
  while (1) {
    n = sizeof(struct Ends);
    if (c)
      break;
    n = sizeof(struct A);
  }
  KEEP(malloc(n));
  do
    n = sizeof(struct Do);
  while (!c);
  KEEP(malloc(n));
  // No use without a value; of no bytes nothing is made.
  size_t only;
  if (c)
    only = sizeof(struct Only);
  KEEP(malloc(only));
  size_t later = 0;
  if (c)
    later = sizeof(struct Later);
  KEEP(malloc(later));
  static const size_t constant = sizeof(struct Constant);
  KEEP(malloc(constant));
  size_t added = sizeof(struct Added);
  added += 8;
  KEEP(malloc(added));
  KEEP(malloc(c ? sizeof(struct Chosen) : 2 * sizeof(struct Chosen)));
  (void)n;
  struct Tail *tail = malloc(6);
  KEEP(tail);
  // Two objects in one block, of which the pointer is to the first.
  size_t before = sizeof(struct First) + 8 * (size_t)c;
  struct First *first = malloc(before + sizeof(struct Second));
  KEEP(first);
  first = malloc(sizeof(struct Second) + before);
  KEEP(first);
}
static const size_t kGlobal = sizeof(struct Global);

// What the pointer says begins each of the classes that a size may be of: also a block that only
// may be new, and of a size that is no multiple of the head's.
struct Head { int n[17]; };
struct Short { struct Head head; };
struct Long { struct Head head; int more[3]; };
struct NoHead { int n[5]; };
static void *allocate(size_t n) { return malloc(n); }
void *(*volatile Allocate)(size_t) = allocate;
NOINLINE void heads(int c, size_t more) {
  size_t n;
  if (c == 1)
    n = sizeof(struct Long);
  else
    n = sizeof(struct Short) + more;
  struct Head *head = (struct Head *)Allocate(n);
  KEEP(head);
  if (c == 1)
    n = sizeof(struct Long);
  else
    n = sizeof(struct NoHead);
  head = (struct Head *)Allocate(n); // one of them has no room
  KEEP(head);
}

NOINLINE void by_chain(int c) {
  size_t n = sizeof(struct A), after = n, third = n, fourth = n, fifth = n, sixth = n, last = n, same = sizeof(struct Chain);
  while (c-- > 0) {
    void *p = malloc(n), *q = malloc(same);
    KEEP(p);
    KEEP(q);
    n = after, after = third, third = fourth, fourth = fifth, fifth = sixth, sixth = last;
    last = sizeof(struct B);
  }
}
// Characters behind their number; with several numbers in front, the array may be of them.
NOINLINE void counted(unsigned length) {
  size_t bytes = sizeof(length) + length + 1;
  char *text = malloc(bytes);
  KEEP(text);
  text = (char *)malloc(length + sizeof length);
  KEEP(text);
  unsigned char *numbers = malloc(sizeof length + length * sizeof length);
  KEEP(numbers);
}

int main(void) {
  for (int c = 1; c < 3; ++c)
    by_if(c), by_switch(c), by_choice(c), by_and(c), by_loop(c), by_device(c - 1);
  by_goto(1);
  by_chain(8);
  by_address();
  by_global();
  too_small();
  agree(1);
  KEEP(malloc(kGlobal));
  heads(1, 0);
  heads(2, 5);
  heads(2, 0);
  counted(7);
  return 0;
}
// EXPECT: "A" not in types and "B" not in types
// EXPECT: types[None].allocations == 2 * 4 + 2 * 3 + 2 + 2 + 1 + 1 + 4 + 3 + 8
// EXPECT: types["If"].elements == 1 and types["Switch"].elements == 1 and types["Loop"].elements == 2
// EXPECT: types["Straight"].allocations == 2 and types["Thrice"].allocations == 1 and types["Ends"].allocations == 1
// EXPECT: types["Chain"].allocations == 8 and types["Do"].allocations == 1 and types["Only"].allocations == 1 and types["Later"].allocations == 1
// EXPECT: types["Constant"].allocations == 1 and types["Global"].allocations == 1 and types["Chosen"].allocations == 1
// EXPECT: types["First"].allocations == 2 and "Second" not in types
// EXPECT: types["Added"].allocations == 1 and types["Added"].elements == 1 and types["Tail"].allocations == 1
// EXPECT: types["Head"].allocations == 3 and types["Head"].elements == 3 and types["Head"].allocated_bytes == 80 + 73 + 68
// EXPECT: types["char"].allocations == 2 and types["unsigned int"].allocations == 1
// ALONE: not typed
