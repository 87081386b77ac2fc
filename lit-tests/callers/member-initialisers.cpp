// Intent: what a member's initialiser in the class allocates is of its line, though no constructor is written; not what a member's own constructor does.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DEFINE: %{level} = -O0
// DEFINE: %{lines} = %inmem-clangxx -std=c++17 %{level} %s -o %t.exe && rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem %t.exe && \
// DEFINE:   %inmem report %t.inmem --format json > %t.json && %python %S/Inputs/lines.py %t.json member-initialisers.cpp | %FileCheck %s
// RUN: %{lines}
// REDEFINE: %{level} = -O2 -fno-inline
// RUN: %{lines}
// REDEFINE: %{level} = -O2
// RUN: %{lines}
#include <cstdlib>
#include <memory>
#include <vector>
struct Data {
  int A[20];
};
// CHECK: whole
struct Braced {
  // CHECK-NEXT: line [[#@LINE+1]]: 10
  std::shared_ptr<Data> Owner{new Data};
};
struct Assigned {
  // CHECK-NEXT: line [[#@LINE+1]]: 10
  std::shared_ptr<Data> Owner = std::shared_ptr<Data>(new Data);
  Assigned() = default;
};
static void *make(size_t Bytes) { return std::malloc(Bytes); }
struct Called {
  // CHECK-NEXT: line [[#@LINE+1]]: 5
  std::unique_ptr<void, decltype(&std::free)> Owner{make(80), std::free};
};
struct Given {
  // CHECK-NEXT: line [[#@LINE+1]]: 5
  Given() : Owner(new Data) {}
  std::unique_ptr<Data> Owner = std::make_unique<Data>(); // of no effect
};
int main() {
  // CHECK-NEXT: line [[#@LINE+1]]: 1
  std::vector<Braced> A(5);
  // CHECK-NEXT: line [[#@LINE+1]]: 1
  std::vector<Assigned> B(5);
  // CHECK-NEXT: line [[#@LINE+1]]: 1
  std::vector<Called> C(5);
  // CHECK-NEXT: line [[#@LINE+1]]: 1
  std::vector<Given> D(5);
  return A.empty() || B.empty() || C.empty() || D.empty();
}
// CHECK-NOT: line
