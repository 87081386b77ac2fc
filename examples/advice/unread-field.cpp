// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Members that are written for each object and that nothing reads.
#include <cstdio>
#include <memory>
#include <vector>

struct Order {
  long Id = 0, Price = 0;
#ifndef ADVICE
  long Created = 0, Sequence = 0;
#endif
};

static void fill(Order &To, long I) {
  To.Id = I;
  To.Price = I * 3;
#ifndef ADVICE
  To.Created = I + 1000;
  To.Sequence = I / 2;
#endif
}

int main() {
  std::vector<std::unique_ptr<Order>> All;
  All.reserve(5000);
  for (long I = 0; I < 5000; ++I) {
    All.push_back(std::make_unique<Order>());
    fill(*All.back(), I);
  }
  long Sum = 0;
  for (const auto &Each : All)
    Sum += Each->Id + Each->Price;
  std::printf("%ld\n", Sum);
}
