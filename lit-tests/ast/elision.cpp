// Intent: what the optimiser removes without us it removes with us.
// RUN: %clangxx -O2 -fplugin=%plugin -S -emit-llvm %s -o - | %FileCheck %s
// RUN: %clangxx -O0 -fplugin=%plugin -S -emit-llvm %s -o - | %FileCheck --check-prefix=O0 %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <memory>

// CHECK-LABEL: define {{.*}}i32 @_Z4testi(
// CHECK-NOT: @__inmem_{{_Z|malloc|free}}
// CHECK: ret i32
// O0-LABEL: define {{.*}}i32 @_Z4testi(
// O0: call {{.*}}@__inmem__Znwm(
int test(int n) {
  int *a = new int(n);
  int *b = new int[4];
  b[0] = *a;
  int r = b[0];
  delete a;
  delete[] b;
  int *c = (int *)malloc(4);
  *c = r;
  r = *c;
  free(c);
  return r + *std::make_unique<int>(n);
}
