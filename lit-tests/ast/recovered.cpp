// Intent: calls that the optimiser builds anew (malloc and memset to calloc, realloc of
// null to malloc) find their type again, and inlining keeps it: at the innermost place,
// with the callers beside it.
// RUN: %clangxx -O2 -fplugin=%plugin -Rpass=inmem -Rpass-missed=inmem -fno-caret-diagnostics -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %clangxx -O2 -fplugin=%plugin -S -emit-llvm %s -o - | %FileCheck --check-prefix=IR %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <cstring>

struct Foo { int a[5]; Foo(); };
void sink(void *);

void zeroed() {
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'Foo' (calloc)
  void *p = malloc(sizeof(Foo)); memset(p, 0, sizeof(Foo));
  sink(p);
}
void resized(std::size_t n) {
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'Foo' (malloc)
  sink(realloc(nullptr, n * sizeof(Foo)));
}
// The call becomes an invoke when it is inlined: metadata would be lost.
static Foo *make() { return new Foo; }
struct Guard { ~Guard(); };
// IR: invoke {{.*}}@__inmem__Znwm(i64 noundef 20, ptr {{.*}}@__inmem_site._Z7inlinedv.0)
void inlined() { Guard g; sink(make()); }
// CHECK-DAG: :[[@LINE-4]]:{{[0-9]+}}: remark: allocates 'Foo' (new)
// CHECK-NOT: unknown type
