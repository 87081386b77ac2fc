// REQUIRES: lld
// Intent: accesses are counted with full and thin LTO, at -O3, and where clang writes the module out before any pass: the
// table of members goes with the module.
// RUN: %if all-tiers %{ %inmem-clangxx -O3 -fplugin-arg-inmem-accesses=on -DMAIN -c %s -o %t.main.o %}
// RUN: %if all-tiers %{ %inmem-clangxx -O3 -fplugin-arg-inmem-accesses=on -c %s -o %t.other.o && %inmem-clangxx %t.main.o %t.other.o -o %t.3 %}
// RUN: %if all-tiers %{ %record %t.json -- %t.3 && %expect %t.json --in %s %}
// RUN: %inmem-clangxx -O2 -flto -fuse-ld=lld -fplugin-arg-inmem-accesses=on -DMAIN -c %s -o %t.main.o
// RUN: %inmem-clangxx -O2 -flto -fuse-ld=lld -fplugin-arg-inmem-accesses=on -c %s -o %t.other.o
// RUN: %inmem-clangxx -O2 -flto -fuse-ld=lld %t.main.o %t.other.o -o %t.full && %record %t.json -- %t.full && %expect %t.json --in %s
// RUN: %if all-tiers %{ %inmem-clangxx -O2 -flto=thin -fuse-ld=lld -fplugin-arg-inmem-accesses=on -DMAIN -c %s -o %t.main.o %}
// RUN: %if all-tiers %{ %inmem-clangxx -O2 -flto=thin -fuse-ld=lld -fplugin-arg-inmem-accesses=on -c %s -o %t.other.o %}
// RUN: %if all-tiers %{ %inmem-clangxx -O2 -flto=thin -fuse-ld=lld %t.main.o %t.other.o -o %t.thin && %record %t.json -- %t.thin && %expect %t.json --in %s %}
// RUN: %inmem-clangxx -O2 -save-temps=obj -fplugin-arg-inmem-accesses=on -DMAIN -c %s -o %t.main.o
// RUN: %inmem-clangxx -O2 -save-temps=obj -fplugin-arg-inmem-accesses=on -c %s -o %t.other.o && %inmem-clangxx %t.main.o %t.other.o -o %t.saved
// RUN: %record %t.json -- %t.saved && %expect %t.json --in %s
// RUN: %if all-tiers %{ %inmem-clangxx -O0 -save-temps=obj -fplugin-arg-inmem-accesses=on -DMAIN -c %s -o %t.main.o %}
// RUN: %if all-tiers %{ %inmem-clangxx -O0 -save-temps=obj -fplugin-arg-inmem-accesses=on -c %s -o %t.other.o && %inmem-clangxx %t.main.o %t.other.o -o %t.saved %}
// RUN: %if all-tiers %{ %record %t.json -- %t.saved && %expect %t.json --in %s %}
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// EXPECT: fields["Node.key"].reads == 100 and fields["Node.key"].writes == 100
// EXPECT: fields["Node.next"].reads == 100 and fields["Node.never"].reads == 0 and fields["Node.never"].writes == 100
// EXPECT: fields["Node.on"].reads == 100 and fields["Node.name"].reads == 100 and not fields["Node.never"].opaque and fields["Node.taken"].opaque
// EXPECT: fields["Copied.only"].copies == 10 and fields["Copied.only"].reads == 0 and fields["Copied.only"].initialised == 1
// EXPECT: fields["Seen.text"].opaque
#include <cstdio>
#include <cstdlib>
#include <string>

struct Node {
  Node *next;
  int key, never, taken;
  unsigned on : 1, rest : 31;
  char name[8];
  int left, right;
};
struct Copied {
  long only, used;
  Copied() : only(1), used(2) {}
  Copied(const Copied &o) : only(o.only), used(o.used) {}
};
struct Seen { std::string text; long pad; };

Node *make(int n);
int sum(const Node *n);
Copied *clone(const Copied &c);
long used(const Copied &c);
int length(const Seen &s);

#ifdef MAIN
static void *volatile kept;
int main() {
  Copied *c = new Copied;
  long s = sum(make(100));
  for (int i = 0; i < 10; ++i) {
    Copied *d = clone(*c);
    kept = d;
    s += used(*d);
  }
  Seen *seen = new Seen{"some text that does not fit into the string", 1};
  kept = seen;
  return s + length(*seen) == 1;
}
#else
__attribute__((noinline)) static void take(int *p) { *p = 1; }
Node *make(int n) {
  Node *list = nullptr;
  for (int i = 0; i < n; ++i) {
    Node *one = (Node *)malloc(sizeof(Node));
    one->next = list;
    one->key = i;
    one->never = i;
    one->on = i & 1;
    one->name[3] = 'x';
    take(&one->taken);
    list = one;
  }
  return list;
}
__attribute__((noinline)) int sum(const Node *n) {
  int s = 0;
  for (; n; n = n->next)
    s += n->key + n->on + n->name[3];
  return s;
}
__attribute__((noinline)) Copied *clone(const Copied &c) { return new Copied(c); }
__attribute__((noinline)) long used(const Copied &c) { return c.used; }
__attribute__((noinline)) int length(const Seen &s) { return s.text.size(); }
#endif
