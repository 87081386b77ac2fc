// Intent: no finding about a field that C reads through values, unions, a common header, containers of a member, callbacks.
// RUN: %inmem-clang -w -O2 -fplugin-arg-inmem-accesses=on %s -o %t && %record %t.json -- %t
// RUN: %expect %t.json --in %s
// RUN: %if all-tiers %{ %inmem-clang -w -O0 -fplugin-arg-inmem-accesses=on %s -o %t.0 && %record %t.json -- %t.0 && %expect %t.json --in %s %}
// The collector's list and the metatable are in fact never read.
// EXPECT: [f.fields for f in report.findings if f.rule in ("unread-field", "copied-only-field", "unused-member")] == [["meta", "gclist"]]
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stddef.h>
#include <stdarg.h>
#define OUT __attribute__((noinline))
enum { N = 200 };
#define CLASS(Name) typedef struct Name { long used, never, more, last; } Name
CLASS(ByVal); CLASS(Ret); CLASS(Assign); CLASS(Init); CLASS(Cond); CLASS(VarArg); CLASS(VoidStar); CLASS(Flat); CLASS(Sound); CLASS(Global); CLASS(Memcmp); CLASS(MemVar); CLASS(Container); CLASS(Nested); CLASS(Qsort); CLASS(Stmt); CLASS(Atomic); CLASS(Arr);
typedef struct Two { int a, never; } Two;
typedef struct OuterN { int id; Nested in; } OuterN;
/* Lua's common header */
#define CommonHeader struct GCObject *next; unsigned char tt; unsigned char marked
typedef struct GCObject { CommonHeader; } GCObject;
typedef struct Table { CommonHeader; unsigned char flags; long used, more; struct Table *meta; GCObject *gclist; } Table;
typedef struct Bits { unsigned a : 3, never : 5, b : 8; unsigned lone : 16; long used; } Bits;
typedef union Pun { struct { int kind; int never; } s; long whole; } Pun;
typedef struct Punned { long used; union { int i; float never; } u; long more; } Punned;
static GCObject *all;
#define MAKE(T) T *p = calloc(1, sizeof *p); p->used = i; p->never = i + 1; p->more = p->last = i + 2; keep[k++ % 4096] = p
#define REST(p) (p->used + p->more + p->last)
static void *keep[4096]; static int k;
OUT long byVal(ByVal v) { return v.never; }
OUT int two(Two t) { return t.never; }
OUT Ret ret(Ret *p) { return *p; }
OUT void assign(Assign *to, Assign *from) { *to = *from; }
OUT long init(Init *p) { Init c = *p; return c.never; }
OUT long cond(Cond *p, Cond *q, int c) { Cond r = c ? *p : *q; return r.never; }
OUT long varArg(int n, ...) { va_list l; va_start(l, n); VarArg v = va_arg(l, VarArg); va_end(l); return v.never; }
OUT long viaVoid(void *p) { return ((VoidStar *)p)->never; }
OUT long flat(long *f) { return f[1]; }
static Global g; OUT void toG(Global *p) { g = *p; } OUT long fromG(void) { return g.never; }
OUT int cmp(const void *a, const void *b) { long x = ((const Qsort *)a)->never, y = ((const Qsort *)b)->never; return x < y ? -1 : x > y; }
OUT long container(long *more) { Container *c = (Container *)((char *)more - offsetof(Container, more)); return c->never; }
OUT long nestedRead(OuterN *o) { return o->in.never; }
OUT void mark(GCObject *o) { o->marked = 1; }
OUT int kind(GCObject *o) { return o->tt; }
OUT long pun(Pun *p) { return p->whole; }
OUT float punned(Punned *p) { return p->u.never; }
OUT long bits(Bits *b) { return b->a + b->b + b->used; }
OUT long arr(Arr *a, int n) { long s = 0; for (int i = 0; i < n; ++i) s += a[i].never; return s; }
int main(void) {
  long s = 0; char buf[256];
  for (int i = 0; i < N; ++i) { MAKE(ByVal); s += byVal(*p) + REST(p); }
  for (int i = 0; i < N; ++i) { Two *p = malloc(sizeof *p); p->a = i; p->never = i; keep[k++ % 4096] = p; s += two(*p) + p->a; }
  for (int i = 0; i < N; ++i) { MAKE(Ret); Ret r = ret(p); s += r.never + REST(p); }
  for (int i = 0; i < N; ++i) { MAKE(Assign); Assign l; assign(&l, p); s += l.never + REST(p); }
  for (int i = 0; i < N; ++i) { MAKE(Init); s += init(p) + REST(p); }
  for (int i = 0; i < N; ++i) { MAKE(Cond); s += cond(p, p, i & 1) + REST(p); }
  for (int i = 0; i < N; ++i) { MAKE(VarArg); s += varArg(1, *p) + REST(p); }
  for (int i = 0; i < N; ++i) { MAKE(VoidStar); s += viaVoid(p) + REST(p); }
  for (int i = 0; i < N; ++i) { MAKE(Flat); s += flat(&p->used) + REST(p); }
  for (int i = 0; i < N; ++i) { MAKE(Global); toG(p); s += fromG() + REST(p); }
  for (int i = 0; i < N; ++i) { MAKE(Memcmp); s += memcmp(p, keep, sizeof *p) + REST(p); }
  for (int i = 0; i < N; ++i) { MAKE(MemVar); memcpy(buf, p, sizeof *p - (s == 1)); s += buf[9] + REST(p); }
  for (int i = 0; i < N; ++i) { MAKE(Container); s += container(&p->more) + REST(p); }
  for (int i = 0; i < N; ++i) { OuterN *o = calloc(1, sizeof *o); keep[k++ % 4096] = o; MAKE(Nested); o->in = *p; s += nestedRead(o) + REST(p) + o->id; }
  { Qsort *q = calloc(N, sizeof *q); for (int i = 0; i < N; ++i) { q[i].used = q[i].more = q[i].last = i; q[i].never = i * 7 % 13; } qsort(q, N, sizeof *q, cmp); for (int i = 0; i < N; ++i) s += q[i].used + q[i].more + q[i].last; }
  for (int i = 0; i < N; ++i) { MAKE(Stmt); s += ({ Stmt c = *p; c.never; }) + REST(p); }
  for (int i = 0; i < N; ++i) { MAKE(Atomic); s += __atomic_load_n(&p->never, __ATOMIC_RELAXED) + REST(p); }
  { Arr *a = calloc(N, sizeof *a); for (int i = 0; i < N; ++i) a[i].used = a[i].never = a[i].more = a[i].last = i; s += arr(a, N); for (int i = 0; i < N; ++i) s += a[i].used + a[i].more + a[i].last; }
  for (int i = 0; i < N; ++i) { Table *t = calloc(1, sizeof *t); t->next = all; t->tt = 5; t->used = i; t->more = 1; all = (GCObject *)t; mark(all); s += kind(all) + t->used + t->more; }
  for (GCObject *o = all; o; o = o->next) s += o->marked;
  for (int i = 0; i < N; ++i) { Pun *p = calloc(1, sizeof *p); p->s.kind = i; p->s.never = i; keep[k++ % 4096] = p; s += pun(p); }
  for (int i = 0; i < N; ++i) { Punned *p = calloc(1, sizeof *p); p->used = p->more = i; p->u.i = i; keep[k++ % 4096] = p; s += (long)punned(p) + p->used + p->more; }
  for (int i = 0; i < N; ++i) { Bits *p = calloc(1, sizeof *p); p->a = 1; p->never = 3; p->b = i; p->lone = i; p->used = i; keep[k++ % 4096] = p; s += bits(p); }
  for (int i = 0; i < N; ++i) { MAKE(Sound); s += REST(p); }
  printf("%ld\n", s == 1);
  return 0;
}
