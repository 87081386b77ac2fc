// Intent: DeepSizeLe and Owns hold of what an object holds, and graph.h goes with the other headers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: gmock, llvm-22
// RUN: %inmem-clangxx -std=c++17 %s -o %t -lgmock -lgtest -lgtest_main -lpthread
// RUN: env INMEM_OPTIONS=output=%t.inmem %t
#include <inmem/inmem.h>
#include <inmem/gtest.h>
#include <memory>
#include <string>
#include <vector>
struct Item { std::string name = std::string(40, 'n'); };
TEST(Graph, Matchers) {
  std::vector<std::unique_ptr<Item>> v;
  for (int i = 0; i < 3; ++i) 
    v.push_back(std::make_unique<Item>());
  EXPECT_THAT(v, inmem::DeepSizeLe(1000));
  EXPECT_THAT(v, testing::Not(inmem::DeepSizeLe(100)));
  EXPECT_THAT(v, inmem::Owns<Item>(3));
  EXPECT_THAT(v, testing::Not(inmem::Owns<Item>(2)));
}
