// REQUIRES: lld, first-llvm
// Intent: linkers place few sections: counters are in the group of their function or in one of the unit, and a unit of
// many types has them in one section, whose fields and texts need no relocation. Counts are those of both units, also
// after --gc-sections; fields of embedded classes are there.
// RUN: %inmem-clangxx -O1 -ffunction-sections -c %s -o %t.o && %inmem-clangxx -DOTHER -O1 -ffunction-sections -c %s -o %t.other.o
// RUN: llvm-readelf-22 -SW %t.o | %FileCheck %s --check-prefix=SECTIONS
// RUN: llvm-readelf-22 -gW %t.o | %FileCheck %s --check-prefix=GROUPS
// RUN: %inmem-clangxx %t.o %t.other.o -o %t && %record %t.json -- %t && %expect %t.json --in %s
// RUN: %inmem-clangxx -fuse-ld=lld -Wl,--gc-sections %t.o %t.other.o -o %t.gc && %record %t.json -- %t.gc && %expect %t.json --in %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SECTIONS: inmem_types
// SECTIONS-NOT: inmem_types {{.*}} AG
// SECTIONS-NOT: .rela.rodata.inmem
// GROUPS: {{\[}}_Z4makeILi7EEiv{{\]}} contains
// GROUPS: .text._Z4makeILi7EEiv
// GROUPS: inmem_counters
// GROUPS: inmem_objects
// GROUPS-NOT: {{\[}}__inmem_{{[tcno]}}.
// EXPECT: types["Held<7>"].allocations == 4 and types["Held<299>"].allocations == 4 and types["Held<7>"].objects.constructed.heap == 4
// EXPECT: types["Local"].objects.constructed.stack == 2 and types["Local"].objects.destroyed == 2
struct Inner {
  int A, B;
  ~Inner();
};
template <int N> struct Held {
  long Values[N + 1];
  Inner In;
};
struct Local {
  Local();
  ~Local();
};
static void *volatile Sink;
template <int N> __attribute__((noinline)) int make() {
  auto *H = new Held<N>();
  Sink = H;
  delete H;
  return N;
}
template <int N> int makeAll() {
  if constexpr (N == 0)
    return make<0>();
  else
    return make<N>() + makeAll<N - 1>();
}
int other();
#ifdef OTHER
int other() {
  Local L;
  return makeAll<299>() + makeAll<299>();
}
Inner::~Inner() {}
Local::Local() {}
Local::~Local() {}
#else
int main() {
  Local L;
  return makeAll<299>() + makeAll<299>() + other() == 0;
}
#endif
