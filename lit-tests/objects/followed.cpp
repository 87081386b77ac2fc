// Intent: objects=lifetime follows objects that no constructor call makes, too: aggregates,
// trivial constructors, constant-initialised variables, and what they consist of. All that were
// destroyed had been followed, by the storage they lived in; nothing is counted otherwise than
// by objects=count.
// RUN: %count-objects %s %t.count
// RUN: %count-objects %s %t -fplugin-arg-inmem-objects=lifetime
// RUN: %expect %t-O0.json 'all(row.objects.lifetime.count == row.objects.destroyed for row in report.types if row.objects)' \
// RUN:   'all(sum(s.alive for s in row.objects.sites) == row.objects.alive for row in report.types if row.objects)' \
// RUN:   'types["Aggregate"].objects.destroyed_in == {"unknown": 0, "heap": 1, "stack": 3, "static": 4, "thread": 1, "member": 9, "placed": 0}' \
// RUN:   'types["Trivial"].objects.destroyed_in == {"unknown": 1, "heap": 4, "stack": 4, "static": 0, "thread": 2, "member": 14, "placed": 9}' \
// RUN:   'types["Inner"].objects.peak_alive == 4' 'types["Constexpr"].objects.peak_alive == 3'
// RUN: %expect %t-O2.json 'all(row.objects.lifetime.count == row.objects.destroyed for row in report.types if row.objects)' \
// RUN:   'all(sum(s.alive for s in row.objects.sites) == row.objects.alive for row in report.types if row.objects)' \
// RUN:   'types["Aggregate"].objects.destroyed_in == {"unknown": 0, "heap": 1, "stack": 3, "static": 4, "thread": 1, "member": 9, "placed": 0}' \
// RUN:   'types["Trivial"].objects.destroyed_in == {"unknown": 1, "heap": 4, "stack": 4, "static": 0, "thread": 2, "member": 14, "placed": 9}' \
// RUN:   'types["Inner"].objects.peak_alive == 4' 'types["Constexpr"].objects.peak_alive == 3'
// RUN: %inmem report --full %t-O2.json.inmem | %FileCheck %s
// CHECK: OBJECTS IN BLOCKS
// CHECK: 9 {{.*}}Trivial {{.*}}char[64]
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <new>
#include <stdlib.h>

struct Aggregate { int a, b; ~Aggregate() { a = 1; } };
class Trivial { int x; public: int get() const { return x; } ~Trivial() { x = 2; } };
struct Inner { Aggregate a; Trivial t; ~Inner() {} };
struct Deep { Inner in[2]; int n; ~Deep() {} };
struct Defaults { Aggregate a{1, 2}; Trivial t = Trivial(), array[2]; Defaults() {} ~Defaults() {} };
struct Empty { ~Empty() {} };
struct Derived : Empty { ~Derived() {} };
struct Final final { Trivial t; ~Final() {} };
union Either { int a; float b; ~Either() {} };
struct Constexpr { int a; constexpr ~Constexpr() { a = 0; } };

constexpr int evaluated(int i) {
  Constexpr trivial;
  trivial.a = i;
  Constexpr list{i}, copy = trivial;
  return copy.a + list.a;
}
static_assert(evaluated(2) == 4);

int volatile two = 2;
int fail(bool really) { if (really) throw 1; return 2; }
Trivial returned() { Trivial t; return t; }

Aggregate constant{1, 2};
Aggregate constants[2] = {{1, 2}, {3, 4}};
Aggregate computed{two, 2};
static Deep deep;
thread_local Aggregate mine{1, 2};
thread_local Trivial our[2];

// OBJECTS Aggregate: heap=2 stack=3 static=4 thread=1 member=9 destroyed=18 alive=1
// OBJECTS Trivial: heap=4 stack=5 thread=2 member=14 placed=9 destroyed=34
// OBJECTS Inner: heap=4 member=4 destroyed=8
// OBJECTS Deep: static=1 stack=1 destroyed=2
// OBJECTS Defaults: stack=1 destroyed=1
// OBJECTS Derived: stack=1 destroyed=1
// OBJECTS Final: stack=2 destroyed=2
// OBJECTS Either: stack=2 destroyed=2
// OBJECTS Constexpr: stack=3 destroyed=3
// OBJECTS (lambda): stack=1 destroyed=1

int main() {
  (void)mine.a;
  (void)our[0].get();
  Aggregate list{1, 2};
  Aggregate *heap = new Aggregate{1, 2};
  delete heap;
  for (int i = 0; i < 2; ++i)
    try {
      Aggregate last{1, fail(i)};
    } catch (int) {
    }
  const Aggregate &bound = Aggregate{3, 4};

  Trivial plain;
  Trivial *array = new Trivial[two];
  delete[] array;
  Trivial(*table)[2] = new Trivial[1][2];
  delete[] table;
  Trivial copy = plain, out = returned(), locals[2];

  Inner *inners = new Inner[two]{};
  delete[] inners;
  inners = new Inner[two];
  delete[] inners;
  Deep whole = deep;
  Defaults defaults;
  Final first{}, second = first;
  Either one{.b = 1}, other = one;
  Derived none{};
  auto closure = [plain] { return plain.get(); };
  evaluated(two);

  char *arena = (char *)malloc(64);
  Trivial *counted = new (arena) Trivial[two];
  Trivial *fixed = new (arena + 16) Trivial[3];
  Trivial(*square)[2] = new (arena + 32) Trivial[two][2];
  for (int i = 0; i < 2; ++i)
    counted[i].~Trivial(), square[i][0].~Trivial(), square[i][1].~Trivial();
  for (int i = 0; i < 3; ++i)
    fixed[i].~Trivial();
  free(arena);

  Aggregate *volatile leaked = new Aggregate{5, 6};
}
