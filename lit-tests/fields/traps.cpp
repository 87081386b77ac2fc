// Intent: no finding about a field that code reads without naming it: through casts, addresses, memcmp, write(2), hashes of
// bytes, offsets of members, copies that are kept elsewhere, members of other classes, and units without accesses=on. The
// one sound claim is made.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++17 -O2 -fplugin-arg-inmem-accesses=on %s -o %t && %record %t.json -- %t
// RUN: %expect %t.json --in %s
// RUN: %if all-tiers %{ %inmem-clangxx -std=c++17 -O0 -fplugin-arg-inmem-accesses=on %s -o %t.0 && %record %t.json -- %t.0 %}
// RUN: %if all-tiers %{ %expect %t.json --in %s %}
// A unit without the option may read any field.
// RUN: %inmem-clangxx -std=c++17 -O2 -DOTHER -c %s -o %t.other.o
// RUN: %inmem-clangxx -std=c++17 -O2 -fplugin-arg-inmem-accesses=on -c %s -o %t.main.o
// RUN: %inmem-clangxx %t.main.o %t.other.o -o %t.mixed && %record %t.json -- %t.mixed
// RUN: %expect %t.json 'not [f for f in report.findings if "field" in f.rule]' 'fields["Sound.never"].opaque'
// EXPECT: [f.type for f in report.findings if f.rule in ("unread-field", "copied-only-field", "unused-member")] == ["Sound"]
// EXPECT: not fields["Sound.never"].opaque and fields["Kept.value"].reads + fields["Kept.value"].copies >= 2000
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string_view>
#include <unistd.h>
#include <vector>

#define OUT __attribute__((noinline))
// Each has a field that is written, and that no expression reads by its name; removing it would make the object smaller.
#define CLASS(Name) struct Name { long used, never, more, last; }
CLASS(Cast); CLASS(Chars); CLASS(Address); CLASS(Compared); CLASS(Written); CLASS(Hashed); CLASS(Offset); CLASS(Pointer);
CLASS(Swapped); CLASS(Integer); CLASS(Sound);
struct Other { long first, second, third; };
// Its value is read where it was copied to.
struct Kept { long used, value, more, last; };
struct Table { long values[2000]; };
// Its objects are read as members of another class.
struct Inner { long used, never, more, last; };
struct Outer { long first; Inner inner; };

#ifdef OTHER
OUT long other(Sound *s) { return s->never; }
static Sound *volatile some = new Sound();
long readOther() { return other(some); }
#else
static const int kCount = 2000;
template <class T> OUT std::vector<T *> make() {
  std::vector<T *> all;
  for (int i = 0; i < kCount; ++i) {
    T *one = new T();
    one->used = i;
    one->never = i + 1;
    one->more = one->last = i + 2;
    all.push_back(one);
  }
  return all;
}
template <class T> OUT long use(const std::vector<T *> &all) {
  long sum = 0;
  for (T *one : all) sum += one->used + one->more + one->last;
  return sum;
}
OUT long first(const long *p) { return *p; }
OUT long second(Cast *c) { return reinterpret_cast<Other *>(c)->second; }
OUT long bytes(Chars *c) { return reinterpret_cast<char *>(c)[9]; }
OUT long addressed(Address *a) { return first(&a->never); }
OUT bool same(Compared *a, Compared *b) { return std::memcmp(a, b, sizeof *a) == 0; }
OUT bool put(Written *w) { static int null = dup(1); return write(null, w, 0) < 0 || std::fwrite(w, sizeof *w, 0, stderr) > 1; }
OUT size_t hash(Hashed *h) { return std::hash<std::string_view>()(std::string_view((const char *)h, sizeof *h)); }
OUT long byOffset(Offset *o, size_t at) { return *(long *)((char *)o + at); }
OUT long byPointer(Pointer *p, long Pointer::*member) { return p->*member; }
OUT long byInteger(Integer *i) { return *(long *)((uintptr_t)i + 8); }
OUT void keep(Table *t, const std::vector<Kept *> &all) { for (int i = 0; i < kCount; ++i) t->values[i] = all[i]->value; }
OUT long sum(const Table *t) { long s = 0; for (long v : t->values) s += v; return s; }
OUT void wrap(Outer *o, const Inner *i) { o->inner = *i; }
OUT long inside(const Outer *o) { return o->inner.never; }

int main() {
  long sums = 0;
  for (Cast *c : make<Cast>()) sums += second(c) + c->used + c->more + c->last;
  for (Chars *c : make<Chars>()) sums += bytes(c) + c->used + c->more + c->last;
  for (Address *a : make<Address>()) sums += addressed(a) + a->used + a->more + a->last;
  auto compared = make<Compared>();
  for (Compared *c : compared) sums += same(c, compared[0]) + c->used + c->more + c->last;
  for (Written *w : make<Written>()) sums += put(w) + w->used + w->more + w->last;
  for (Hashed *h : make<Hashed>()) sums += hash(h) + h->used + h->more + h->last;
  for (Offset *o : make<Offset>()) sums += byOffset(o, offsetof(Offset, never)) + o->used + o->more + o->last;
  for (Pointer *p : make<Pointer>()) sums += byPointer(p, &Pointer::never) + p->used + p->more + p->last;
  for (Integer *i : make<Integer>()) sums += byInteger(i) + i->used + i->more + i->last;
  auto swapped = make<Swapped>();
  std::swap(*swapped[0], *swapped[1]);
  for (Swapped *s : swapped) sums += ((volatile Swapped *)s)->never + s->used + s->more + s->last;
  std::vector<Kept *> kept;
  for (int i = 0; i < kCount; ++i) kept.push_back(new Kept{i, i, i, i});
  for (Kept *k : kept) sums += k->used + k->more + k->last;
  Table *t = (Table *)std::malloc(sizeof(Table));
  keep(t, kept);
  Outer *o = (Outer *)std::calloc(1, sizeof(Outer));
  for (Inner *i : make<Inner>()) {
    wrap(o, i);
    sums += inside(o) + i->used + i->more + i->last;
  }
  sums += sum(t) + use(make<Sound>());
  return sums == 1;
}
#endif
