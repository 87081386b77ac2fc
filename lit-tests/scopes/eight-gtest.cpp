// Intent: eight threads use inmem/gtest.h's matchers and macros in one test: each sees its own allocations, and nothing races.
// REQUIRES: llvm-22, gmock
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++17 -O1 -pthread %s -o %t.exe -lgmock -lgtest
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.exe
// RUN: %inmem-clangxx -std=c++17 -O1 -fsanitize=thread -pthread %s -o %t.tsan -lgmock -lgtest
// RUN: env INMEM_OPTIONS=output=%t.inmem TSAN_OPTIONS=halt_on_error=1 %t.tsan
#include "../threads/Inputs/eight.h"
#include <inmem/gtest.h>
#include <string>

using testing::AllOf, testing::Le;

TEST(Eight, ThreadsSeeTheirOwn) {
  std::atomic<unsigned> Good{0};
  onEight(50, [&](unsigned Thread, unsigned) {
    EXPECT_NO_ALLOCATIONS { Good += Thread < kEight; }
    const auto All = inmem::allocationsOf([&] { makeJobs(Thread); });
    EXPECT_THAT(All, AllOf(inmem::Bytes(Le(100 * Thread)), inmem::OfType<Job>(Le(Thread)), inmem::Leaks(0)));
    EXPECT_THAT(All, inmem::OfType<Job>(testing::Eq(Thread)));
  });
  EXPECT_EQ(Good, 50 * kEight);
}

int main(int Count, char **Arguments) {
  testing::InitGoogleTest(&Count, Arguments);
  return RUN_ALL_TESTS();
}
