// Intent: where a call may have allocated, the runtime is asked only about the
// thread's newest block, and that which a function returned late if the call names a
// size, behind a branch that is rarely taken; two questions about one pointer share
// the branch, those with a call between them do not.
// RUN: %clang -O2 -gline-tables-only -fplugin=%plugin -S -emit-llvm %s -o %t.ll
// RUN: %FileCheck %s < %t.ll
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
struct Foo { int a[4]; };
struct Hooks { void *(*get)(unsigned long); };
void use(void *);

// CHECK-LABEL: define {{.*}}@one(
struct Foo *one(struct Hooks *hooks) {
  // CHECK: %[[P:[a-z0-9.]+]] = {{.*}}call ptr %
  // CHECK: %[[ADDRESS:[0-9]+]] = {{.*}}call {{.*}}ptr @llvm.threadlocal.address.p0(ptr {{.*}}@__inmem_newest)
  // CHECK: %[[NEWEST:[0-9]+]] = load volatile ptr, ptr %[[ADDRESS]]
  // CHECK: %[[SAME:[0-9]+]] = icmp eq ptr %[[P]], %[[NEWEST]]
  // CHECK: %[[OTHER:[0-9]+]] = {{.*}}call {{.*}}ptr @llvm.threadlocal.address.p0(ptr {{.*}}@__inmem_returned)
  // CHECK: %[[RETURNED:[0-9]+]] = load volatile ptr, ptr %[[OTHER]]
  // CHECK: %[[LATE:[0-9]+]] = icmp eq ptr %[[P]], %[[RETURNED]]
  // CHECK: %[[EITHER:[0-9]+]] = or i1 %[[SAME]], %[[LATE]]
  // CHECK: br i1 %[[EITHER]], label %[[ASK:[0-9]+]], label %[[END:[0-9]+]]{{.*}}!prof
  // CHECK: [[ASK]]:
  // CHECK-NEXT: call void @__inmem_retag_sized(ptr %[[P]], ptr {{.*}}@__inmem_site.one
  // CHECK-NEXT: br label %[[END]]
  // CHECK: ret ptr %[[P]]
  return hooks->get(sizeof(struct Foo));
}

static void *wrapped(struct Hooks *hooks, unsigned long n) {
  char *p = hooks->get(n);
  return p;
}

// CHECK-LABEL: define {{.*}}@two(
// CHECK-COUNT-2: load volatile ptr, ptr %{{.*}}, !nosanitize
// CHECK-NOT: !nosanitize
// CHECK: call void @__inmem_retag_sized(
// CHECK-NEXT: call void @__inmem_retag_sized(
// CHECK-NEXT: br label
// CHECK-NOT: @__inmem
// CHECK: {{^}}}
struct Foo *two(struct Hooks *hooks) {
  return wrapped(hooks, sizeof(struct Foo));
}

// CHECK-LABEL: define {{.*}}@apart(
// CHECK: call void @__inmem_retag_sized(
// CHECK-NEXT: br label
// CHECK: call void @use(
// CHECK: call void @__inmem_retag_sized(
// CHECK-NEXT: br label
// CHECK: {{^}}}
void apart(struct Hooks *hooks) {
  use((struct Foo *)hooks->get(sizeof(struct Foo)));
  use((struct Foo *)hooks->get(sizeof(struct Foo)));
}

// What a function returns that reaches no allocation is no new block: nothing is
// asked, also where it calls others, recursively, or frees.
char *strchr(const char *, int);
int isspace(int);
void free(void *);
static const char *skip(const char *text) {
  while (isspace(*text))
    ++text;
  return text;
}
__attribute__((noinline)) static const char *word(const char *text, int depth) {
  text = skip(text);
  return depth && strchr(text, ' ') ? word(strchr(text, ' '), depth - 1) : text;
}
__attribute__((noinline)) static char *emptied(char *text, void *old) {
  free(old);
  *text = 0;
  return text;
}
// CHECK-LABEL: define {{.*}}@no_question(
// CHECK-NOT: __inmem_newest
// CHECK: {{^}}}
const char *no_question(char *text, void *old) {
  return word(emptied(text, old), 3);
}

// Nor about a pointer that it stores where an argument points to, unless it may be new.
static void *old;
static unsigned long bytes;
__attribute__((noinline)) static int store_old(void **to, unsigned long n) {
  *to = old;
  return (bytes += n) > 10;
}
__attribute__((noinline)) static int store_new(void **to, unsigned long n, struct Hooks *hooks) {
  *to = hooks->get(n);
  return bytes > 10;
}
void set(void *p) { old = p; }
// CHECK-LABEL: define {{.*}}@stored_old(
// CHECK-NOT: @__inmem_retag
// CHECK: {{^}}}
struct Foo *stored_old(void) {
  struct Foo *foo;
  return store_old((void **)&foo, sizeof *foo) ? foo : 0;
}
// CHECK-LABEL: define {{.*}}@stored_new(
// CHECK: call void @__inmem_retag_sized(
// CHECK: {{^}}}
struct Foo *stored_new(struct Hooks *hooks) {
  struct Foo *foo;
  return store_new((void **)&foo, sizeof *foo, hooks) ? foo : 0;
}

// A function that might, through another one, is asked about.
__attribute__((noinline)) static char *grown(struct Hooks *hooks, int n) {
  return n ? grown(hooks, n - 1) : hooks->get(4);
}
// CHECK-LABEL: define {{.*}}@question(
// CHECK: call void @__inmem_retag_sized(
// CHECK: {{^}}}
char *question(struct Hooks *hooks) { return grown(hooks, 1); }

// What lies within a block is none: not what has a header before it, nor what is
// given out piece by piece.
struct Arena { struct Arena *next; unsigned long used; char memory[4000]; };
struct Arena *arena;
__attribute__((noinline)) static void *piece(struct Hooks *hooks, unsigned long n) {
  char *at;
  if (n + arena->used <= sizeof arena->memory) {
    at = arena->memory + arena->used;
    arena->used += n;
    return at;
  }
  struct Arena *fresh = hooks->get(sizeof *fresh);
  if (!fresh)
    return 0;
  fresh->next = arena;
  arena = fresh;
  return fresh->memory;
}
__attribute__((noinline)) static struct Foo *pieceOfFoo(struct Hooks *hooks) {
  struct Foo *foo = piece(hooks, sizeof *foo);
  if (foo)
    foo->a[0] = 1;
  return foo;
}
// CHECK-LABEL: define {{.*}}@pieces(
// CHECK-NOT: __inmem_newest
// CHECK: {{^}}}
void pieces(struct Hooks *hooks) {
  use(pieceOfFoo(hooks));
  use((struct Foo *)piece(hooks, 8));
}

// From within a block back to its beginning; and the first element of an array.
__attribute__((noinline)) static void *whole(struct Hooks *hooks) {
  char *inside = (char *)hooks->get(64) + 16;
  use(inside);
  return inside - 16;
}
struct List { void *items; unsigned count; };
__attribute__((noinline)) static void *pushed(struct Hooks *hooks, struct List *list) {
  if (!list->items)
    list->items = hooks->get(640);
  return (char *)list->items + 64 * list->count++;
}
// CHECK-LABEL: define {{.*}}@beginnings(
// CHECK: call void @__inmem_retag_sized(
// CHECK: call void @__inmem_retag_sized(
// CHECK: {{^}}}
void beginnings(struct Hooks *hooks, struct List *list) {
  use((struct Foo *)whole(hooks));
  use((struct Foo *)pushed(hooks, list));
}

// What is returned through a function that gives back what it is given.
__attribute__((noinline)) static void *same(void *block) { return block; }
__attribute__((noinline)) static void *through(struct Hooks *hooks) {
  return same(hooks->get(16));
}
// CHECK-LABEL: define {{.*}}@passedOn(
// CHECK: call void @__inmem_retag_sized(
// CHECK: {{^}}}
struct Foo *passedOn(struct Hooks *hooks) { return through(hooks); }

char *strcpy(char *, const char *);
__attribute__((noinline)) static char *copied(struct Hooks *hooks, const char *text) {
  char *copy = hooks->get(16);
  return strcpy(copy, text);
}
// CHECK-LABEL: define {{.*}}@passedOnByLibrary(
// CHECK: call void @__inmem_retag_sized(
// CHECK: {{^}}}
char *passedOnByLibrary(struct Hooks *hooks) { return copied(hooks, "text"); }

// A function that gives back what it is given is asked about if that is new.
void abort(void) __attribute__((noreturn));
__attribute__((noinline)) static void *checked(void *block) {
  if (!block)
    abort();
  return block;
}
// CHECK-LABEL: define {{.*}}@given(
// CHECK: call void @__inmem_retag_sized(
// CHECK-NOT: __inmem_newest
// CHECK: {{^}}}
void given(struct Hooks *hooks, void *old, unsigned long n) {
  void *fresh = hooks->get(n);
  use((struct Foo *)checked(fresh));
  use((struct Foo *)checked(old));
}

// What is on the stack is none, wherever it begins.
__attribute__((noinline)) static char *digits(char *end, unsigned n, _Bool negative) {
  char *at = end - 1;
  do
    *at-- = '0' + n % 10;
  while (n /= 10);
  *at = '-';
  return at + !negative;
}
// CHECK-LABEL: define {{.*}}@onTheStack(
// CHECK-NOT: __inmem_newest
// CHECK: {{^}}}
void onTheStack(unsigned n) {
  char buffer[32];
  use((struct Foo *)digits(buffer + 32, n, 0));
}

// A new block that a function is given is asked about if that returns it, not if
// it only uses it.
struct Gap { char *end; struct Hooks *hooks; };
__attribute__((noinline)) static char *unescaped(char *text, struct Gap *gap) {
  char *at = text + 1;
  if (*at == '#') {
    gap->end = gap->hooks->get(8);
    at += 2;
  }
  return at;
}
struct Pool { struct Arena *root; struct Hooks *hooks; };
struct Parser { struct Pool *pool; };
__attribute__((noinline)) static void *pieceOf(struct Pool *pool, unsigned long n) {
  if (n + pool->root->used > sizeof pool->root->memory)
    pool->root = pool->hooks->get(sizeof *pool->root);
  return pool->root->memory + pool->root->used;
}
// CHECK-LABEL: define {{.*}}@used(
// CHECK-NOT: __inmem_newest
// CHECK: {{^}}}
void used(struct Hooks *hooks, struct Parser *parser, char *text) {
  struct Gap gap = {0, hooks};
  use((struct Foo *)unescaped(text, &gap));
  use((struct Foo *)pieceOf(parser->pool, 16));
}

// From what another function has returned from within a block, back to its
// beginning; and an element of a new array, maybe the first.
__attribute__((noinline)) static char *behindHeader(struct Hooks *hooks) {
  return (char *)hooks->get(64) + 16;
}
__attribute__((noinline)) static void *headerOf(char *inside) {
  return inside - 16;
}
__attribute__((noinline)) static void *element(struct Hooks *hooks, unsigned i) {
  char *array = hooks->get(64);
  return array + i;
}
// CHECK-LABEL: define {{.*}}@headers(
// CHECK: call void @__inmem_retag_sized(
// CHECK: call void @__inmem_retag_sized(
// CHECK: {{^}}}
void headers(struct Hooks *hooks, unsigned i) {
  use((struct Foo *)headerOf(behindHeader(hooks)));
  use((struct Foo *)element(hooks, i));
}
