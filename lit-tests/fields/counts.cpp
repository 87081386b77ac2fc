// Intent: reads and writes of scalar fields are those that DHAT sees at their bytes, at -O0 and -O2.
// Before LLVM 20, the optimiser makes one store of the two in insert(), which counts for both fields.
// REQUIRES: valgrind
// RUN: %if all-tiers %{ %inmem-clangxx -std=c++17 -O0 -fplugin-arg-inmem-accesses=on -fplugin-arg-inmem-objects=off %s -o %t.0 %}
// RUN: %if all-tiers %{ %record %t.0.json -- %t.0 %}
// RUN: %if all-tiers %{ %clangxx -std=c++17 -O0 -pthread %s -o %t.0.plain %}
// RUN: %if all-tiers %{ valgrind --tool=dhat --dhat-out-file=%t.0.dhat %t.0.plain %}
// RUN: %if all-tiers %{ %python %inputs/dhat_fields.py %t.0.json %t.0.dhat --except Shared.count %}
// RUN: %inmem-clangxx -std=c++17 -O2 -fplugin-arg-inmem-accesses=on -fplugin-arg-inmem-objects=off %s -o %t.2
// RUN: %record %t.2.json -- %t.2
// RUN: %clangxx -std=c++17 -O2 -pthread %s -o %t.2.plain
// RUN: valgrind --tool=dhat --dhat-out-file=%t.2.dhat %t.2.plain
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.2 && %inmem export --format dhat -o %t.exported %t.inmem
// RUN: %python %inputs/dhat_fields.py %t.2.json %t.2.dhat --except Shared.count --sum Pair.x+y %if llvm-22 %{ --sum Tree.left+right %} %else %{ --except Tree.left --except Tree.right %} --exported %t.exported
// An atomic update is a read and a write.
// RUN: %if all-tiers %{ %expect %t.0.json 'fields["Shared.count"].reads == fields["Shared.count"].writes == 2000' %}
// RUN: %expect %t.2.json 'fields["Shared.count"].reads == fields["Shared.count"].writes == 2000'
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>

// Classes differ in size, by which DHAT's blocks are told apart.
struct Plain { int a; long b; short c; char d; bool e; double f; float g; int *h; };
struct Base { int kind; int serial; int sum() const { return kind + serial; } };
struct Derived : Base { long own; long more[6]; };
struct Left { long l; };
struct Right { long r; int rr; };
struct Both : Left, Right { char tail[64]; int last; };
struct Inner { int x, y; };
struct Outer { Inner first; Inner second; long pad[11]; int n; };
struct Bits { unsigned a : 3, b : 13, c : 16; int after; long pad[8]; };
struct Either { union { int i; float f; }; int tag; long pad[15]; };
struct Arrays { int table[8]; char name[16]; double d[4]; int n; long pad[11]; };
struct Tree { Tree *left, *right; int key, value; long pad[17]; };
struct Pair { int x, y; long pad[23]; };
struct Link { Link *next; unsigned hash; long pad[35]; };
struct Wide { float v[4]; float w[4]; int n; long pad[24]; };
template <class T> struct Slot { T value; int used; long pad[27]; };
struct Shared { int before; int count; long pad[31]; };

int global;

#define OUT __attribute__((noinline))
OUT Tree *insert(Tree *root, int key) {
  Tree *above = nullptr, *at = root;
  while (at) { above = at; at = key < at->key ? at->left : at->right; }
  Tree *n = (Tree *)malloc(sizeof(Tree));
  n->left = n->right = nullptr; n->key = key; n->value = 0;
  if (!above) return n;
  if (key < above->key) above->left = n; else above->right = n;
  return root;
}
OUT int find(Tree *n, int key) {
  while (n && n->key != key) n = key < n->key ? n->left : n->right;
  return n ? ++n->value : 0;
}
OUT long plain(Plain *p, int n) {
  long sum = 0;
  for (int i = 0; i < n; ++i) { p->a = i; p->b += p->a; p->c++; p->d = 'x'; p->e = !p->e; p->f *= 2; sum += p->b; }
  p->g = 1; p->h = &global;
  return sum + p->c + (long)p->f;
}
OUT long derived(Derived *d, int n) {
  for (int i = 0; i < n; ++i) { d->kind = i; d->own += d->sum(); }
  return d->own;
}
OUT long both(Both *b, Right *r, int n) {
  for (int i = 0; i < n; ++i) { b->l = i; b->r = b->l; r->rr++; b->last ^= i; }
  return b->r + b->rr;
}
OUT int outer(Outer *o, int n) {
  for (int i = 0; i < n; ++i) { o->first.x += i; o->second.y = o->first.x; }
  return o->second.y + o->n;
}
OUT int bits(Bits *b, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) { b->after = i; s += b->after; }
  b->a = 3; b->c = 7;
  return s + b->c;
}
OUT float either(Either *e, int n) {
  for (int i = 0; i < n; ++i) { if (e->tag & 1) e->i = i; else e->f = i; e->tag++; }
  return e->f;
}
OUT int arrays(Arrays *a, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) { a->table[3] = i; a->name[5] = 'y'; s += a->table[3] + a->name[5]; }
  a->d[2] = s; a->n += 2;
  return s;
}
OUT void copy(Pair *to, const Pair *from) { *to = *from; }
OUT int pairs(const Pair *p, int n) { int s = 0; for (int i = 0; i < n; ++i) s += p[i].x; return s; }
OUT void wide(Wide *w) { for (int i = 0; i < 4; ++i) w->w[i] = w->v[i] * 2 + 1; w->n++; }
OUT void slot(Slot<int> *s, int n) { for (int i = 0; i < n; ++i) { s->value += i; s->used = 1; } }
OUT int chosen(const Pair *p, bool which) { return which ? p->x : p->y; }
OUT int links(const Link *l) { int s = 0; for (; l; l = l->next) s += l->hash; return s; }
OUT void shared(Shared *s, int n) { for (int i = 0; i < n; ++i) { s->before = i; __atomic_fetch_add(&s->count, 1, __ATOMIC_RELAXED); } }

int main(int argc, char **) {
  long sum = 0;
  Plain *p = (Plain *)calloc(1, sizeof *p);
  Derived *d = (Derived *)calloc(1, sizeof *d);
  Both *b = (Both *)calloc(1, sizeof *b);
  Outer *o = (Outer *)calloc(1, sizeof *o);
  Bits *f = (Bits *)calloc(1, sizeof *f);
  Either *e = (Either *)calloc(1, sizeof *e);
  Arrays *a = (Arrays *)calloc(1, sizeof *a);
  Wide *w = (Wide *)calloc(1, sizeof *w);
  Slot<int> *s = (Slot<int> *)calloc(1, sizeof *s);
  Shared *h = (Shared *)calloc(1, sizeof *h);
  sum += plain(p, 100) + derived(d, 90) + both(b, b, 80) + outer(o, 70) + bits(f, 60) + arrays(a, 50);
  sum += (long)either(e, 40);
  for (int i = 0; i < 30; ++i) wide(w);
  slot(s, 25);
  Pair *q = (Pair *)calloc(1, sizeof *q), *r = (Pair *)calloc(1, sizeof *r);
  for (int i = 0; i < 20; ++i) { q->x = i; copy(r, q); sum += pairs(r, 1) + chosen(r, true); }
  Link *chain = nullptr;
  for (unsigned i = 0; i < 60; ++i) {
    Link *l = (Link *)malloc(sizeof(Link)); l->next = chain; l->hash = i; chain = l;
  }
  sum += links(chain);
  Tree *root = nullptr;
  for (int i = 0; i < 50; ++i) root = insert(root, i * 37 % 51);
  for (int i = 0; i < 51; ++i) sum += find(root, i);
  std::thread other(shared, h, 1000 * argc), third(shared, h, 500);
  shared(h, 500);
  other.join(); third.join();
  return sum == 3;
}
