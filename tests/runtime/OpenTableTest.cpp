//===- OpenTableTest.cpp - A hash table that jumps may leave --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tables/OpenTable.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

using namespace inmem::rt;

namespace {

/// Number of stores that a Slot still takes before a jump leaves the table; -1:
/// none.
int StoresLeft = -1;
struct Jump {};
void store() {
  if (StoresLeft == 0)
    throw Jump();
  if (StoresLeft > 0)
    --StoresLeft;
}

struct Entry {
  uint64_t Key, Value;

  explicit operator bool() const { return Key != 0; }
  // Few homes, so that runs are long.
  static uint64_t hashOf(uint64_t Key) { return Key % 37; }
  uint64_t hash() const { return hashOf(Key); }
  bool is(uint64_t Other) const { return Key == Other; }
  bool isSame(const Entry &Other) const { return Key == Other.Key; }
  void clear() {
    store();
    Key = 0;
  }
  void copy(const Entry &Other) {
    store();
    Value = Other.Value;
    store();
    Key = Other.Key;
  }
};
using Table = OpenTable<Entry, 16>;

void expectSame(Table &T, const std::map<uint64_t, uint64_t> &Model) {
  EXPECT_EQ(T.count(), Model.size());
  size_t Found = 0;
  T.forEach([&](const Entry &E) {
    ++Found;
    auto It = Model.find(E.Key);
    ASSERT_NE(It, Model.end());
    EXPECT_EQ(E.Value, It->second);
  });
  EXPECT_EQ(Found, Model.size());
  for (auto [Key, Value] : Model) {
    Entry *E = T.find(Key);
    ASSERT_NE(E, nullptr) << Key;
    EXPECT_EQ(E->Value, Value);
  }
  EXPECT_EQ(T.find(uint64_t{100000}), nullptr);
}

TEST(OpenTable, BehavesAsAMap) {
  Table T;
  std::map<uint64_t, uint64_t> Model;
  std::mt19937_64 Random(1);
  for (int I = 0; I < 20000; ++I) {
    const uint64_t Key = Random() % 200 + 1;
    if (Random() % 3 == 0) {
      if (Entry *E = T.find(Key))
        T.remove(E);
      Model.erase(Key);
    } else {
      T.add(T.findOrMake(Key), {Key, uint64_t(I)});
      Model[Key] = uint64_t(I);
    }
  }
  expectSame(T, Model);
  T.removeIf([](const Entry &E) { return E.Key % 2 == 0; });
  std::erase_if(Model, [](auto &P) { return P.first % 2 == 0; });
  expectSame(T, Model);
  T.clear();
  expectSame(T, {});
}

TEST(OpenTable, LosesNothingToAJumpAtAnyStore) {
  std::mt19937_64 Random(2);
  for (int Round = 0; Round < 3000; ++Round) {
    Table T;
    std::map<uint64_t, uint64_t> Model;
    for (int I = 0; I < 30; ++I) {
      const uint64_t Key = Random() % 60 + 1;
      T.add(T.findOrMake(Key), {Key, Key + 1000});
      Model[Key] = Key + 1000;
    }
    const uint64_t Key =
        std::next(Model.begin(), Round % int(Model.size()))->first;
    Entry *E = T.find(Key);
    StoresLeft = Round / 30 % 12;
    bool Left = false;
    try {
      T.remove(E);
    } catch (Jump) {
      Left = true;
    }
    StoresLeft = -1;
    if (Left) {
      T.repair();
      // The element on its way out is there or not, and all others are.
      if (T.find(Key))
        T.remove(T.find(Key));
    }
    Model.erase(Key);
    expectSame(T, Model);
  }
}

} // namespace
