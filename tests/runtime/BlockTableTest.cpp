//===- BlockTableTest.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each address leads to the block that a search finds.
#include "heap/BlockTable.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

using namespace inmem::rt;

namespace {

struct Object {
  uintptr_t Begin;
  uint64_t Other[2];
};

/// Looks up addresses around each block, and far from all.
void check(const std::vector<uintptr_t> &Begins) {
  std::vector<Object> Objects;
  for (const uintptr_t Begin : Begins)
    Objects.push_back({Begin, {1, 2}});
  BlockTable Table;
  Table.build({Objects.data(), sizeof(Object), Objects.size()});
  const auto Look = [&](uintptr_t Address) {
    const auto Wanted = std::ranges::upper_bound(Begins, Address);
    ASSERT_EQ(Table.countUpTo(Address),
              static_cast<size_t>(Wanted - Begins.begin()))
        << std::hex << Address;
  };
  for (const uintptr_t Begin : Begins)
    for (const int64_t Step :
         {-8192, -4096, -1, 0, 1, 100, 4096, 9000, 5 << 20})
      Look(Begin + static_cast<uintptr_t>(Step));
  Look(0);
  Look(UINTPTR_MAX);
}

} // namespace

TEST(BlockTable, FindsWhatASearchFinds) {
  check({});
  check({0x1000});
  check({0x1ff0, 0x2000, 0x2010});
  // Clusters: a heap, a large block alone, mappings at the other end.
  std::mt19937_64 Random(1);
  std::vector<uintptr_t> All;
  for (const auto &[From, Count, Step] :
       {std::tuple{uintptr_t{0x555500000000}, 5000, 300},
        {uintptr_t{0x555600000000}, 1, 16},
        {uintptr_t{0x7f0000000ff0}, 3000, 9000},
        {uintptr_t{0x7ffff0000000}, 20, 30 << 20}}) {
    uintptr_t At = From;
    for (int I = 0; I < Count; ++I) {
      All.push_back(At);
      At += 16 + Random() % static_cast<unsigned>(Step) / 16 * 16;
    }
  }
  std::ranges::sort(All);
  check(All);
}
