// The program of attach-tools.test: blocks from before attaching hold some from
// after it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <string>
#include <vector>

struct Order {
  long Id;
  char Text[56];
};
struct Shelf {
  Order *Orders[100] = {};
};

static std::vector<Shelf *> Shelves;

static __attribute__((noinline)) Order *makeOrder(long Id) {
  return new Order{Id, ""};
}

int main() {
  for (int I = 0; I < 10; ++I)
    Shelves.push_back(new Shelf());
  std::puts("ready");
  std::fflush(stdout);
  for (int C; (C = std::getchar()) != EOF;)
    if (C == 'm') { // 500 orders, to shelves from before
      for (long I = 0; I < 500; ++I)
        Shelves[static_cast<size_t>(I) / 100]->Orders[I % 100] = makeOrder(I);
      std::puts("made");
      std::fflush(stdout);
    } else if (C == 'd') {
      for (Shelf *One : Shelves)
        delete One->Orders[0], One->Orders[0] = nullptr;
      std::puts("deleted");
      std::fflush(stdout);
    } else if (C == 'e') {
      std::puts("ended, 0 failed");
      return 0;
    }
}
