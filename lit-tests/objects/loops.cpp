// Intent: a loop around a constructor that is defined elsewhere counts in two cells in turn,
// so that no increment waits for the one before; the sum is exact and one place in the report.
// RUN: %inmem-clangxx -O2 -DPART -c %s -o %t.part.o
// RUN: %inmem-clangxx -O2 -S -emit-llvm %s -o - | %FileCheck %s
// RUN: %inmem-clangxx -O2 %s %t.part.o -o %t && %record %t.json -- %t
// RUN: %expect %t.json '[(s.constructed, s.storage) for s in types["Part"].objects.sites] == [(10107, "stack")]' \
// RUN:   'types["Part"].objects.destroyed == 10107' 'types["Part"].objects.alive == 0'
// RUN: %inmem-clangxx -O0 %s %t.part.o -o %t && %record %t.json -- %t
// RUN: %expect %t.json '[(s.constructed, s.storage) for s in types["Part"].objects.sites] == [(10107, "stack")]'
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
struct Part { explicit Part(int n); ~Part(); int n; };
#ifdef PART
Part::Part(int n) : n(n) {}
Part::~Part() {}
#else
// CHECK-COUNT-2: @__inmem_c._Z3runi.{{[0-9a-f]+}} = private global i64 0
// CHECK-LABEL: define {{.*}}_Z3runi(
// CHECK: phi ptr {{.*}}@__inmem_c._Z3runi.
__attribute__((noinline)) int run(int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    Part p(i);
    sum += p.n & 1;
  }
  return sum;
}
int main() {
  int sum = 0;
  for (int i = 0; i < 3; ++i)
    sum += run(i * 3367 + 2);
  return sum == 0;
}
#endif
