// Intent: old data behind the last element of a buffer, or in a buffer that nobody owns, are no containers: what is called sparse is so.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++20 -O1 %s -o %t.program
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.program
// RUN: %inmem heap --format json %t.heap -o %t.json
// RUN: %python %S/Inputs/room.py %t.json
#include <inmem/inmem.h>

#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

using Strings = std::vector<std::string>;

// Each word of freed blocks is a bait: seen as a string or a vector, it points
// to a block, and is much too large.
static void bait() {
  static void *Blocks[7][40];
  for (int Class = 0; Class < 7; ++Class)
    for (void *&Block : Blocks[Class]) {
      const int Words = 8 << Class;
      auto *Word = static_cast<unsigned long *>(Block = std::malloc(Words * 8));
      for (int I = 0; I < Words; ++I)
        Word[I] = I % 4 == 0   ? reinterpret_cast<unsigned long>(Block)
                  : I % 4 == 1 ? 0x1111111111
                               : 0x5a5a5a5a5a5b;
    }
  for (auto &Class : Blocks)
    for (void *Block : Class)
      std::free(Block);
}

static std::string text() { return std::string(40, 'x'); }

static Strings filled(int Room) {
  bait();
  Strings Out;
  Out.reserve(Room);
  for (int I = 0; I < 3; ++I)
    Out.push_back(text());
  return Out;
}

struct Owner {
  Strings Member = filled(5);
  std::deque<std::string> Queue;
  std::vector<Strings> Nested;
};

static Strings Global;
static std::string *Ownerless;
static Strings *Pointed;
struct Wasteful {
  std::string Long;
  std::vector<long> Numbers;
};
static std::unique_ptr<Wasteful> Sparse;

int main() {
  Strings Local = filled(4);
  Global = filled(6);
  Owner *Held = new Owner;
  bait();
  for (int I = 0; I < 70; ++I)
    Held->Queue.push_back(text());
  for (int I = 0; I < 5; ++I)
    Held->Queue.pop_front();
  Held->Nested.reserve(4);
  Held->Nested.push_back(filled(7));
  std::deque<std::string> LocalQueue(3, text());
  std::map<int, Strings> Map;
  Map[1] = filled(8);
  Pointed = new Strings(filled(9));
  bait();
  Ownerless = std::allocator<std::string>().allocate(6);
  Sparse = std::make_unique<Wasteful>();
  Sparse->Long.reserve(5000);
  Sparse->Numbers.reserve(1000);
  Sparse->Numbers.push_back(1);
  inmem_snapshot();
  return Local.size() + LocalQueue.size() + Map.size() + Held->Queue.size() ==
         0;
}
