// Intent: sample profiles know functions by hashes (pseudo-probes) and counts that are those of a compilation without
// inmem, at each level of objects=; pseudo-probes change nothing of what is counted.
// RUN: %python %S/Inputs/sample_profiles.py %clangxx %inmem-clangxx %s %t
// RUN: %count-objects %s %t.count -fpseudo-probe-for-profiling
// RUN: %count-objects %s %t.lifetime -fpseudo-probe-for-profiling -fplugin-arg-inmem-objects=lifetime
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <new>
struct T { int a; ~T() {} };
struct C { int a; constexpr ~C() {} };
struct Holds { T t = T{1}; T array[2]{{1}, {2}}; int n = 3; };
namespace { struct Internal { int a; ~Internal() {} }; }

__attribute__((noinline)) int aggregates(int n) {
  T t{n}, copy = t;
  Holds holds;
  if (n > 2)
    return T{n}.a + holds.n;
  for (int i = 0; i < n; ++i) {
    T *p = new T{i};
    t.a += p->a;
    delete p;
  }
  return t.a + copy.a;
}
__attribute__((noinline)) int arrays(int n) {
  T *p = new (std::nothrow) T[n], *q = new T[n];
  alignas(T) char room[4 * sizeof(T)];
  T *placed = new (room) T[n];
  T rows[2][2]{{{1}, {2}}, {{3}, {4}}};
  int sum = rows[1][1].a;
  delete[] p;
  delete[] q;
  for (int i = 0; i < n; ++i)
    placed[i].~T();
  return sum;
}
__attribute__((noinline)) int thrown(int n) {
  try {
    if (n > 1)
      throw T{n};
  } catch (T t) {
    return t.a;
  }
  return 0;
}
constexpr int evaluated(int n) { C c{n}; C d = c; return d.a; }
__attribute__((noinline)) static int internal(int n) {
  auto closure = [n, i = Internal{n}] { Internal k{i.a}; return k.a == n ? 1 : 2; };
  return closure();
}
int main() { return aggregates(1) + aggregates(3) + arrays(3) + thrown(2) + evaluated(2) + internal(1) == 17 ? 0 : 1; }
// aggregates: t and copy, twice; one of n > 2; an exception, and what is caught; rows.
// OBJECTS T: stack=10 heap=8 placed=3 member=6 destroyed=27
// OBJECTS C: stack=2 destroyed=none
// OBJECTS Holds: stack=2 destroyed=2
// OBJECTS (anonymous namespace)::Internal: stack=1 member=1 destroyed=2
// OBJECTS (lambda): stack=1 destroyed=1
