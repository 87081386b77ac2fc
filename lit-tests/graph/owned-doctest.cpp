// Intent: what an object holds is a figure that doctest's CHECK takes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: doctest, llvm-22
// RUN: %inmem-clangxx -std=c++17 %s -o %t
// RUN: env INMEM_OPTIONS=output=%t.inmem %not %t | %FileCheck %s
// CHECK: values: CHECK( 3 == 2 )
// CHECK: assertions: 3 | 2 passed | 1 failed
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include <inmem/doctest.h>
#include <memory>
#include <vector>
struct Item { long A[5]; };
TEST_CASE("holds") {
  std::vector<std::unique_ptr<Item>> V;
  for (int I = 0; I < 3; ++I)
    V.push_back(std::make_unique<Item>());
  CHECK(inmem::owned<Item>(V) == 3);
  CHECK(inmem::deepSize(V) <= 1000);
  CHECK(inmem::owned<Item>(V) == 2);
}
