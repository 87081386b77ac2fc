//===- NumbersTest.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers by key: found again, forgotten by clear(), in bounded memory.
#include "tables/Numbers.h"

#include <fstream>
#include <gtest/gtest.h>

using namespace inmem::rt;

namespace {

/// Pages of address space that this process has mapped.
long mappedPages() {
  long Pages = 0;
  std::ifstream File("/proc/self/statm");
  EXPECT_TRUE(File >> Pages);
  return Pages;
}

void fill(Numbers &N, uint64_t Count, uint64_t Salt) {
  for (uint64_t I = 1; I <= Count; ++I)
    N.insert(I * 0x9E3779B97F4A7C15u + Salt, static_cast<uint32_t>(I));
}

TEST(Numbers, AreFoundByTheirKeys) {
  Numbers N;
  EXPECT_EQ(N.find(1), 0u);
  fill(N, 10000, 0);
  for (uint64_t I = 1; I <= 10000; ++I)
    ASSERT_EQ(N.find(I * 0x9E3779B97F4A7C15u), I);
  EXPECT_EQ(N.find(12345), 0u);
}

TEST(Numbers, AreForgottenByClear) {
  Numbers N;
  for (uint64_t Round = 0; Round < 5; ++Round) {
    fill(N, 3000, Round);
    N.clear();
    for (uint64_t I = 1; I <= 3000; ++I)
      ASSERT_EQ(N.find(I * 0x9E3779B97F4A7C15u + Round), 0u) << Round;
  }
}

TEST(Numbers, TakeNoMoreMemoryHoweverOftenTheyAreCleared) {
  Numbers N;
  for (uint64_t Round = 0; Round < 5; ++Round) {
    fill(N, 8192, Round);
    N.clear();
  }
  const long Before = mappedPages();
  for (uint64_t Round = 0; Round < 100; ++Round) {
    fill(N, 8192, Round);
    N.clear();
  }
  EXPECT_LE(mappedPages() - Before, 64);
}

} // namespace
