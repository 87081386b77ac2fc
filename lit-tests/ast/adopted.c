// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Intent: a block that code out of the compiler's sight makes without a type (through a
// pointer, in another unit, by a function that is no plain wrapper) takes the type its
// caller gives it, if the size speaks for it; else, and where it has one, it keeps what
// it has.
// DEFINE: %{typed} = 'types["ByPointer"].allocations == 1 and types["ByPointer"].live_bytes == 0' \
// DEFINE:   'types["Grown"].allocations == 3 and types["Grown"].frees == 3' \
// DEFINE:   'types["ByUnit"].allocations == 1' \
// DEFINE:   'types["Counted"].allocated_bytes == 5 * 16' \
// DEFINE:   'types["Derived"].allocations == 1' \
// DEFINE:   'types["Tail"].allocated_bytes == 101' \
// DEFINE:   'types["Sized"].allocations == 1' \
// DEFINE:   'types["Controlled"].allocations == 1' \
// DEFINE:   'types["Inlined"].allocations == 1' \
// DEFINE:   'types["Kept"].allocations == 1'
// DEFINE: %{left} = 'types["char"].allocated_bytes == 4096' \
// DEFINE:   'not any(row.type in ("Head", "Other", "InChunk", "Control") for row in types.values())' \
// DEFINE:   'sum(row.allocated_bytes for row in types.values() if row.type is None) == 64' \
// DEFINE:   'any(s.file and s.file.endswith("adopted.c") and s.kind == "custom" for s in types["ByUnit"].sites)'
// RUN: %inmem-clang -O0 -DOTHER_UNIT -c %s -o %t.other.o
// RUN: %inmem-clang -O0 -g %s %t.other.o -o %t
// RUN: %record %t.json -- %t
// RUN: %expect %t.json %{typed} %{left}
// RUN: %inmem-clang -O2 -DOTHER_UNIT -c %s -o %t.other.o
// RUN: %inmem-clang -O2 -g %s %t.other.o -o %t
// RUN: %record %t.json -- %t
// RUN: %expect %t.json %{typed} %{left}
#include <stdlib.h>

struct Hooks {
  void *(*allocate)(size_t);
  void *(*grow)(void *context, void *old, size_t size);
  void (*release)(void *);
};
struct Head { int kind; struct Head *next; };
struct ByPointer { long a[3]; };
struct Grown { long a[2]; };
struct ByUnit { long a[5]; };
struct Counted { long a[2]; };
struct Derived { struct Head head; long more[4]; };
struct Tail { int n; char text[1]; };
struct Sized { long a[7]; };
struct Inlined { long a[9]; };
struct Kept { long a[11]; };
struct Other { long a[11]; };
struct InChunk { long a[2]; };
struct Control { void *owner; };
struct Controlled { struct Control control; long more[11]; };

void *other_unit(size_t n);
void *other_array(int flags, size_t n, size_t size);
struct Head *other_object(int kind, size_t n);
void *other_typed(size_t n);
void *other_chunk(size_t n);
extern struct Hooks *hooks;

void *other_controlled(size_t n);

#ifdef OTHER_UNIT
void *other_controlled(size_t n) {
  void *p = malloc(n);
  struct Control *control = (struct Control *)p;
  control->owner = NULL;
  return p;
}
void *other_unit(size_t n) { return malloc(n); }
void *other_array(int flags, size_t n, size_t size) { return flags ? calloc(n, size) : NULL; }
struct Head *other_object(int kind, size_t n) {
  void *p = hooks->allocate(n);
  ((struct Head *)p)->kind = kind;
  return (struct Head *)p;
}
void *other_typed(size_t n) {
  struct Kept *kept = malloc(sizeof *kept);
  return n ? kept : NULL;
}
void *other_chunk(size_t n) {
  static char *at;
  if (!at)
    at = hooks->allocate(4096);
  at += n;
  return at - n;
}
static void *grow(void *context, void *old, size_t size) { (void)context; return realloc(old, size); }
static struct Hooks standard = {malloc, grow, free};
struct Hooks *hooks = &standard;
#else
static int get(void **result, size_t n) {
  *result = hooks->allocate(n);
  return *result != NULL;
}
static void *by_parameter(size_t n) {
  void *p;
  return get(&p, n) ? p : NULL;
}
static void *sized(size_t n) { return other_unit(n); }

int main(int argc, char **argv) {
  (void)argv;
  struct ByPointer *a = hooks->allocate(sizeof(struct ByPointer));
  hooks->release(a);
  struct Grown *grown = NULL;
  for (int i = 1; i <= 3; ++i)
    grown = hooks->grow(NULL, grown, i * sizeof(struct Grown));
  hooks->release(grown);
  struct ByUnit *b = other_unit(argc * 40);
  free(b);
  struct Counted *counted = other_array(1, argc + 4, sizeof *counted);
  free(counted);
  struct Head *derived = other_object(7, sizeof(struct Derived));
  free(derived);
  struct Tail *tail = other_unit(argc + 100);
  free(tail);
  size_t size;
  size = argc * sizeof(struct Sized);
  void *p = sized(size);
  free((struct Sized *)p);
  struct Inlined *inlined = by_parameter(argc * sizeof(struct Inlined));
  free(inlined);
  struct Controlled *controlled = other_controlled(argc * sizeof *controlled);
  free(controlled);
  // Not theirs: a longer object's head, a typed block, a chunk.
  struct Head *head = other_unit(argc * 64);
  free(head);
  struct Other *other = other_typed(sizeof(struct Other));
  free(other);
  struct InChunk *chunk = other_chunk(sizeof(struct InChunk));
  struct InChunk *second = other_chunk(sizeof(struct InChunk));
  return chunk == second;
}
#endif
