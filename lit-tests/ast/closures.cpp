// Intent: two closures of one function share every name but a number, which the AST half
// and code generation count differently; each is still named by its own place.
// RUN: %clangxx -O0 -std=c++17 -fplugin=%plugin -Rpass=inmem -Rpass-missed=inmem -fno-caret-diagnostics -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %clangxx -O2 -std=c++17 -fplugin=%plugin -Rpass=inmem -Rpass-missed=inmem -fno-caret-diagnostics -c %s -o %t.o 2>&1 | %FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <functional>

std::function<long()> keep[4];
void test(long n) {
  long a[3] = {n}, b[4] = {n}, c[5] = {n};
  auto unused = [b] { return b[0]; };
  // CHECK-DAG: remark: allocates '(lambda at {{.*}}closures.cpp:[[@LINE+1]]:{{[0-9]+}})' (new)
  keep[0] = [a] { return a[1]; };
  // CHECK-DAG: remark: allocates '(lambda at {{.*}}closures.cpp:[[@LINE+1]]:{{[0-9]+}})' (new)
  auto named = [c] { return c[1]; };
  // CHECK-DAG: remark: allocates '(lambda at {{.*}}closures.cpp:[[@LINE+1]]:{{[0-9]+}})' (new)
  keep[1] = [b] { return b[2]; };
  keep[2] = named;
}
// CHECK-NOT: unknown type
