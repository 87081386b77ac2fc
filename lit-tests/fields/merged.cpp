// Intent: as counts.cpp, for virtual functions, exceptions, recursion, templates, and stores that the optimiser merges; at -O3 and -O0.
// REQUIRES: valgrind
// RUN: %inmem-clangxx -std=c++17 -O3 -pthread -fplugin-arg-inmem-accesses=on -fplugin-arg-inmem-objects=off %s -o %t.3 && %record %t.json -- %t.3
// RUN: %clangxx -std=c++17 -O3 -pthread %s -o %t.3.plain && valgrind --tool=dhat --dhat-out-file=%t.dhat %t.3.plain
// RUN: %python %inputs/dhat_fields.py %t.json %t.dhat
// RUN: %if all-tiers %{ %inmem-clangxx -std=c++17 -O0 -pthread -fplugin-arg-inmem-accesses=on -fplugin-arg-inmem-objects=off %s -o %t.0 && %record %t.json -- %t.0 %}
// RUN: %if all-tiers %{ %clangxx -std=c++17 -O0 -pthread %s -o %t.0.plain && valgrind --tool=dhat --dhat-out-file=%t.dhat %t.0.plain %}
// RUN: %if all-tiers %{ %python %inputs/dhat_fields.py %t.json %t.dhat %}
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <memory>
#define OUT __attribute__((noinline))
// Classes differ in size, by which DHAT's blocks are told apart.
struct Shape { virtual ~Shape() {} virtual int area() const = 0; int id; int calls; };
struct Square : Shape { int side; long pad[2]; int area() const override { return side * side; } };
struct Round { virtual ~Round() {} virtual int area() const = 0; int turns; };
struct Circle : Round { double r; int n; long pad[3]; int area() const override { return int(r * r * 3); } };
struct Rec { Rec *l, *r; int depth, sum; long pad[5]; };
struct Thrown { int before, after, caught; long pad[7]; };
template <class K, class V, int N> struct Entry { K key; V value; Entry *next; char state; long pad[N]; };
struct Mixed { unsigned char a, b; unsigned short c; unsigned d; unsigned long e; float f; double g; bool h; signed char i; long pad[14]; };
struct Deep { struct { struct { int x; short y; } in; long z; } mid; int w; long pad[17]; };
struct Shared { long mine[4]; int n; int m; long pad[19]; };
struct Opt { int *p; int n; const char *s; long pad[22]; };
struct Sw { int kind; int a, b, c; long pad[29]; };
struct Ll { Ll *next; long v; int flag; long pad[31]; };
struct Cond { int a, b; long pad[37]; };
struct Big { int first; long arr[42]; int last; };
OUT int total(Shape *s) { s->calls++; return s->area() + s->id; }
OUT int turned(Round *r) { r->turns += r->area(); return r->turns; }
OUT int recurse(Rec *r) { if (!r) return 0; r->sum = r->depth + recurse(r->l) + recurse(r->r); return r->sum; }
OUT Rec *build(int d) { if (!d) return nullptr; Rec *r = (Rec *)calloc(1, sizeof(Rec)); r->depth = d; r->l = build(d - 1); r->r = build(d - 1); return r; }
OUT void thrower(Thrown *t, int i) { t->before = i; if (i % 3 == 0) throw std::runtime_error("x"); t->after += t->before; }
OUT void catcher(Thrown *t, int n) { for (int i = 0; i < n; ++i) try { thrower(t, i); } catch (const std::exception &) { t->caught++; } }
template <class E> OUT long lookup(E *e, long k) { for (; e; e = e->next) if (e->key == k) { e->state = 1; return e->value; } return -1; }
OUT void mixed(Mixed *m, int n) { for (int i = 0; i < n; ++i) { m->a += i; m->b ^= m->a; m->c = m->b; m->d -= m->c; m->e |= m->d; m->f = m->f * 2 + 1; m->g += m->f; m->h = m->g > 3; m->i = -m->i; } }
OUT long deep(Deep *d, int n) { long s = 0; for (int i = 0; i < n; ++i) { d->mid.in.x = i; d->mid.in.y++; s += d->mid.z + d->w; d->mid.z = s; } return s; }
OUT void share(Shared *s, int who, int n) { for (int i = 0; i < n; ++i) { s->mine[who] += i; } }
OUT int opt(Opt *o) { if (o && o->p) { if (o->n > 3 && o->s) return *o->p + o->n; return o->n; } return 0; }
OUT int sw(Sw *s) { switch (s->kind) { case 0: return s->a; case 1: return s->b + s->c; case 2: s->a = s->c; return 1; default: return 0; } }
OUT long walk(Ll *l) { long s = 0; while (l) { if (l->flag) s += l->v; l = l->next; } return s; }
OUT int early(Cond *c, int n) { for (int i = 0; i < n; ++i) { if (c->a == i) return c->b; } c->b++; return -1; }
OUT long big(Big *b, int n) { b->first = n; long s = b->last; for (int i = 0; i < 42; ++i) b->arr[i] = i; b->last += 3; return s; }
int main(int argc, char **) {
  long s = 0;
  Square *q = new Square; Circle *o0 = new Circle;
  q->side = 3; q->id = 1; q->calls = 0; o0->r = 2; o0->n = 1; o0->turns = 4;
  for (int i = 0; i < 33; ++i) s += total(q) + turned(o0);
  Rec *r = build(5); for (int i = 0; i < 4; ++i) s += recurse(r);
  Thrown *t = (Thrown *)calloc(1, sizeof *t); catcher(t, 31);
  using E = Entry<long, int, 9>; E *head = nullptr; for (int i = 0; i < 20; ++i) { E *e = (E *)calloc(1, sizeof(E)); e->key = i; e->value = i * 2; e->next = head; head = e; }
  for (int i = 0; i < 25; ++i) s += lookup(head, i);
  using F = Entry<char, long, 11>; F *h2 = nullptr; for (int i = 0; i < 10; ++i) { F *e = (F *)calloc(1, sizeof(F)); e->key = i; e->value = i * 2; e->next = h2; h2 = e; }
  for (int i = 0; i < 12; ++i) s += lookup(h2, i);
  Mixed *m = (Mixed *)calloc(1, sizeof *m); mixed(m, 21);
  Deep *d = (Deep *)calloc(1, sizeof *d); s += deep(d, 22);
  Shared *sh = (Shared *)calloc(1, sizeof *sh); sh->n = argc; { std::thread a(share, sh, 0, 100), b(share, sh, 1, 200); a.join(); b.join(); } sh->m = sh->n;
  int v = 5; Opt *o = (Opt *)calloc(1, sizeof *o); for (int i = 0; i < 10; ++i) { o->n = i; o->p = i & 1 ? &v : nullptr; o->s = "x"; s += opt(o); }
  Sw *w = (Sw *)calloc(1, sizeof *w); for (int i = 0; i < 13; ++i) { w->kind = i % 4; s += sw(w); }
  Ll *l = nullptr; for (int i = 0; i < 17; ++i) { Ll *x = (Ll *)calloc(1, sizeof *x); x->next = l; x->v = i; x->flag = i % 3; l = x; } s += walk(l) + walk(l);
  Cond *c = (Cond *)calloc(1, sizeof *c); c->a = 7; for (int i = 0; i < 11; ++i) s += early(c, i);
  Big *b = (Big *)calloc(1, sizeof *b); for (int i = 0; i < 5; ++i) s += big(b, i);
  return s == 1;
}
