// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks that several functions and two threads free.
#include <thread>
#include <vector>

struct Item {
  char Text[32];
};

__attribute__((noinline)) Item *make() { return new Item; }
__attribute__((noinline)) void destroyHere(Item *I) { delete I; }
__attribute__((noinline)) void destroyThere(Item *I) { delete I; }

struct Owner {
  Item *Held = make();
  __attribute__((noinline)) ~Owner() { delete Held; }
};

int main() {
  std::vector<Item *> Handed;
  Handed.reserve(15);
  for (int I = 0; I < 15; ++I)
    Handed.push_back(make());
  for (int I = 0; I < 10; ++I)
    destroyHere(make());
  for (int I = 0; I < 5; ++I)
    Owner O;
  std::thread([&] {
    for (Item *I : Handed)
      destroyThere(I);
  }).join();
}
