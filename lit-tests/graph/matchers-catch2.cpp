// Intent: DeepSizeLe and Owns are matchers of Catch2, which say what they found.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: catch2, llvm-22
// RUN: %clangxx -std=c++17 -c %S/../scopes/Inputs/catch2-main.cpp -o %t.main.o
// RUN: %inmem-clangxx -std=c++17 %s %t.main.o -o %t
// RUN: env INMEM_OPTIONS=output=%t.inmem %not %t | %FileCheck %s
// CHECK: holds at most 100 bytes ({{[1-9][0-9]+}})
// CHECK: holds 2 of Item (3)
// CHECK: test cases: 2 | 1 passed | 1 failed
// CHECK: assertions: 6 | 4 passed | 2 failed
#include <catch2/catch.hpp>
#include <inmem/catch2.h>
#include <inmem/inmem.h>
#include <memory>
#include <string>
#include <vector>
struct Item { std::string name = std::string(40, 'n'); };
struct Cache { std::vector<std::unique_ptr<Item>> items; };
static Cache filled() {
  Cache Out;
  for (int I = 0; I < 3; ++I)
    Out.items.push_back(std::make_unique<Item>());
  return Out;
}
TEST_CASE("hold") {
  Cache C = filled();
  CHECK_THAT(C, inmem::DeepSizeLe(1000));
  CHECK_THAT(C, !inmem::DeepSizeLe(100));
  CHECK_THAT(C, inmem::Owns<Item>(3));
  CHECK_THAT(C, inmem::Owns<Item>(3) && inmem::DeepSizeLe(1000));
}
TEST_CASE("fail") {
  Cache C = filled();
  CHECK_THAT(C, inmem::DeepSizeLe(100));
  CHECK_THAT(C, inmem::Owns<Item>(2));
}
