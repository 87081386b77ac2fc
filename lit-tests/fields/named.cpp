// Intent: what an access belongs to: members of bases, bit-fields, unions, containers, copies; at -O0 and -O2.
// RUN: %inmem-clangxx -std=c++17 -O0 -fplugin-arg-inmem-accesses=on %s -o %t.0 && %record %t.0.json -- %t.0
// RUN: %expect %t.0.json --in %s --prefix EXPECT --prefix EXPECT-O0
// RUN: %inmem-clangxx -std=c++17 -O2 -fPIC -fplugin-arg-inmem-accesses=on %s -o %t.2 && %record %t.2.json -- %t.2
// RUN: %expect %t.2.json --in %s %if llvm-22 %{ --prefix EXPECT --prefix EXPECT-PLACES %}
// RUN: env INMEM_OPTIONS=output=%t.2.inmem %t.2
// RUN: %inmem report --by field --type Node %t.2.inmem | %FileCheck %s
// RUN: %inmem report --by field --format csv %t.2.inmem | %FileCheck %s --check-prefix CSV
// Without the option nothing is there, and the view says why.
// RUN: %inmem-clangxx -std=c++17 -O2 %s -o %t.off && %record %t.off.json -- %t.off
// RUN: %expect %t.off.json 'not fields'
// RUN: env INMEM_OPTIONS=output=%t.off.inmem %t.off
// RUN: %not %inmem report --by field %t.off.inmem 2>&1 | %FileCheck %s --check-prefix OFF
// RUN: %not %inmem-clangxx -fplugin-arg-inmem-accesses=some -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix WRONG
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstring>
#include <string>
#include <vector>
#include <sys/wait.h>
#include <unistd.h>

// CHECK: FIELDS
// CHECK: Node {{.*}} bytes {{.*}} 10 in blocks at the peak
// CHECK: offset bytes field {{.*}}reads writes
// CHECK: Base::id
// CHECK: never
// CSV: type,field,of,field_type,offset,bytes,reads,writes,copies,initialised,released,exact,opaque,file,line
// CSV: Node,id,Base,int,8,4,
// OFF: --by field: no accesses were counted (compile with -fplugin-arg-inmem-accesses=on)
// WRONG: bad value 'some' for plugin option 'inmem-accesses'; valid: on, off

#define OUT __attribute__((noinline))
struct Base { int id; virtual ~Base() {} OUT int base() const { return id; } };
struct Other : Base { long other; };
struct Vec { float x, y, z; float dot(const Vec &v) const { return x * v.x + y * v.y + z * v.z; } };
struct Node : Base {
  int key; int never; unsigned on : 1, kind : 7, rest : 24; union { int i; float f; } u;
  char name[12]; Vec at; std::vector<int> kids; std::string text; Node *next; const int &ref;
  Node(int k, const int &r) : key(k), never(k), on(1), kind(2), rest(3), next(nullptr), ref(r) { id = k; u.i = k; name[0] = 'a'; at = {1, 2, 3}; }
};
// The optimiser reads it once in again().
// EXPECT: fields["Node.key"].reads in (20, 30) and fields["Node.key"].writes == fields["Node.key"].initialised == 10
// EXPECT: fields["Node.never"].reads == 0 and fields["Node.never"].writes == 10 and not fields["Node.never"].opaque
// EXPECT: fields["Node.id"].of == "Base" and fields["Node.id"].writes == 10 and fields["Node.id"].reads == 21
// EXPECT: fields["Node.on"].bits == 1 and fields["Node.on"].writes >= 10 and fields["Node.kind"].reads == 10
// EXPECT: fields["Node.u"].reads == 10 and fields["Node.u"].writes == 10
// EXPECT: fields["Node.name"].reads == 10 and fields["Node.name"].writes == 10
// EXPECT: fields["Node.at"].reads >= 10 and not fields["Node.at"].opaque
// EXPECT: fields["Node.kids"].reads + fields["Node.kids"].writes >= 10
// EXPECT: fields["Node.text"].reads >= 10
// EXPECT: fields["Node.next"].reads == 10 and fields["Node.ref"].reads == 10
// EXPECT-O0: fields["Node.key"].reads == 30 and fields["Node.rest"].writes == 10
OUT int sum(Node *n) {
  int s = 0;
  for (; n; n = n->next) s += n->key + n->kind + n->u.i + n->name[0] + n->ref + n->base();
  return s;
}
OUT int again(Node *n) { return n->key * 2 + n->id + n->key; }
OUT float dots(Node *n, const Vec &v) { return n->at.dot(v); }

struct Copied { int a; long b; int c; Copied() : a(1), b(2), c(3) {} Copied(const Copied &o) : a(o.a), b(o.b), c(o.c) {} };
struct Plain { int a; long b, pad[6]; };
// EXPECT: fields["Copied.a"].copies == 5 and fields["Copied.a"].reads == 0 and fields["Copied.b"].reads == 5
// EXPECT: fields["Plain.a"].copies == 5 and fields["Plain.a"].reads == 0
OUT Copied *clone(const Copied *c) { return new Copied(*c); }
OUT void assign(Plain *to, const Plain *from) { *to = *from; }
OUT long readB(const Copied *c) { return c->b; }

// A copy that is looked at is a read.
struct Looked { int x, y; long pad[8]; };
// EXPECT: fields["Looked.x"].reads > 0 and fields["Looked.x"].copies == 0
OUT int look(const Looked *l) { Looked copy = *l; return copy.x; }

// A chosen address: the members of both sides are read.
struct Sides { int left, right; };
// Earlier compilers drop the place of the merged access.
// EXPECT-PLACES: fields["Sides.left"].reads > 0 and fields["Sides.right"].reads > 0
OUT int side(const Sides *s, bool left) { return left ? s->left : s->right; }

// Vectorised: every element counts.
struct Point { float x, y, z, w; };
// EXPECT: fields["Point.x"].reads == fields["Point.x"].writes == 64 and fields["Point.y"].writes == 0
OUT void scale(Point *p, int n) { for (int i = 0; i < n; ++i) p[i].x *= 2; }

// A child process counts for itself.
struct Forked { int here, there; };
OUT void touch(Forked *f, int n) { for (int i = 0; i < n; ++i) { f->here = i; asm volatile("" ::: "memory"); } }
// EXPECT: fields["Forked.here"].writes == 7

static Plain *volatile kept;

int main() {
  static const int number = 3;
  Node *list = nullptr;
  int s = 0;
  for (int i = 0; i < 10; ++i) {
    Node *n = new Node(i, number);
    n->next = list; list = n;
    n->kids.push_back(i);
    n->text += "some longer text that is in a block";
    s += again(n) + n->text.size();
  }
  s += sum(list) + (int)dots(list, Vec{1, 1, 1});
  for (Node *n = list; n; n = nullptr) for (int i = 0; i < 9; ++i) s += (int)dots(n, Vec{1, 1, 1});
  Copied *c = new Copied;
  Plain *p = new Plain(), *q = new Plain();
  for (int i = 0; i < 5; ++i) { Copied *d = clone(c); s += readB(d); assign(p, q); }
  kept = p;
  Looked *l = new Looked();
  for (int i = 0; i < 4; ++i) s += look(l);
  Sides *sides = new Sides();
  for (int i = 0; i < 8; ++i) s += side(sides, i & 1);
  Point *points = new Point[64]();
  scale(points, 64);
  Forked *f = new Forked();
  touch(f, 7);
  if (pid_t child = fork()) waitpid(child, nullptr, 0);
  else { touch(f, 1000); _exit(0); }
  Other *o = new Other();
  s += o->base() * 0;
  return s == 1;
}
