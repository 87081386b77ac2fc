//===- OrderedMapTest.cpp - PagedArray, OrderedMap, NumberMap -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tables/OrderedMap.h"

#include "graph/Pages.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

using namespace inmem::rt;

namespace {

TEST(PagedArray, KeepsElementsAsItGrows) {
  PagedArray<uint64_t> A = {};
  for (uint64_t I = 0; I < 10000; ++I) {
    uint64_t *E = A.add();
    ASSERT_NE(E, nullptr);
    EXPECT_EQ(*E, 0u);
    *E = I;
  }
  ASSERT_EQ(A.Count, 10000u);
  for (uint32_t I = 0; I < A.Count; ++I)
    ASSERT_EQ(A[I], I);
  A.release();
  EXPECT_EQ(A.Data, nullptr);
  EXPECT_EQ(A.Capacity, 0u);
}

TEST(PagedArray, AddsZeroesWhereElementsWere) {
  PagedArray<uint64_t> A = {};
  *A.add() = 7;
  A.Count = 0;
  EXPECT_EQ(*A.add(), 0u);
  A.release();
}

/// As a table by index, which counts nothing (Threads.h, CellOfType).
TEST(PagedArray, KeepsWhatLiesBeyondItsCount) {
  PagedArray<uint32_t> A = {};
  ASSERT_TRUE(A.reserve(1));
  const uint32_t Last = A.Capacity - 1;
  A[Last] = 42;
  ASSERT_TRUE(A.reserve(uint64_t{A.Capacity} + 1));
  EXPECT_GT(A.Capacity, Last + 1);
  EXPECT_EQ(A[Last], 42u);
  EXPECT_EQ(A[Last + 1], 0u);
  A.release();
}

TEST(PagedArray, RefusesMoreThanItCanCount) {
  PagedArray<char> A = {};
  EXPECT_FALSE(A.reserve(uint64_t{UINT32_MAX}));
  EXPECT_EQ(A.Data, nullptr);
}

struct Item {
  uint32_t Key;
  uint64_t Value;
  // Few homes, so that runs are long.
  static uint64_t hash(uint32_t K) { return K % 37; }
};

void expectSame(OrderedMap<Item> &M,
                const std::map<uint32_t, uint64_t> &Model) {
  ASSERT_EQ(M.count(), Model.size());
  for (uint32_t I = 0; I < M.count(); ++I) {
    auto It = Model.find(M[I].Key);
    ASSERT_NE(It, Model.end());
    EXPECT_EQ(M[I].Value, It->second);
    EXPECT_EQ(M.find(M[I].Key), &M[I]);
  }
}

TEST(OrderedMap, BehavesAsAMap) {
  OrderedMap<Item> M = {};
  std::map<uint32_t, uint64_t> Model;
  std::mt19937_64 Random(1);
  EXPECT_EQ(M.find(1), nullptr);
  for (uint64_t I = 0; I < 20000; ++I) {
    const auto Key = static_cast<uint32_t>(Random() % 500);
    if (Random() % 3 == 0) {
      if (Item *E = M.find(Key))
        M.remove(E);
      Model.erase(Key);
    } else {
      Item *E = M.at(Key);
      ASSERT_NE(E, nullptr);
      E->Value = Model[Key] = I;
    }
    if (I % 1000 == 0)
      expectSame(M, Model);
  }
  expectSame(M, Model);
  M.clear();
  EXPECT_EQ(M.count(), 0u);
  for (auto [Key, Value] : Model)
    EXPECT_EQ(M.find(Key), nullptr);
  EXPECT_EQ(M.at(3)->Value, 0u); // not what was there
}

TEST(OrderedMap, KeepsTheOrderOfInsertion) {
  OrderedMap<Item> M = {};
  for (uint32_t Key : {900u, 5u, 42u, 7u})
    M.at(Key);
  EXPECT_EQ(M[0].Key, 900u);
  EXPECT_EQ(M[3].Key, 7u);
  M.remove(M.find(5)); // the last one takes its place
  ASSERT_EQ(M.count(), 3u);
  EXPECT_EQ(M[1].Key, 7u);
  EXPECT_EQ(M[2].Key, 42u);
  M.remove(M.find(42));
  M.remove(M.find(900));
  ASSERT_EQ(M.count(), 1u);
  EXPECT_EQ(M.find(7), &M[0]);
}

TEST(NumberMap, BehavesAsAMap) {
  NumberMap M;
  std::map<uint64_t, uint64_t> Model;
  std::mt19937_64 Random(2);
  EXPECT_EQ(M.find(1), nullptr);
  for (uint64_t I = 1; I <= 20000; ++I) {
    const uint64_t Key = (Random() % 5000 + 1) * 4096;
    uint64_t *Slot = M.findOrMake(Key);
    ASSERT_NE(Slot, nullptr);
    EXPECT_EQ(*Slot, Model[Key]);
    *Slot = Model[Key] = I;
  }
  EXPECT_EQ(M.size(), Model.size());
  for (auto [Key, Value] : Model) {
    ASSERT_NE(M.find(Key), nullptr);
    EXPECT_EQ(*M.find(Key), Value);
  }
  M.release();
  EXPECT_EQ(M.size(), 0u);
  EXPECT_EQ(M.find(4096), nullptr);
  EXPECT_EQ(*M.findOrMake(4096), 0u);
}

} // namespace
