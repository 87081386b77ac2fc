// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Members that are written for each object and that nothing reads.
#include <cstdio>
#include <memory>
#include <vector>

class Order {
public:
  void fill(long I) {
    Id = I;
    Price = I * 3;
#ifndef ADVICE
    Created = I + 1000;
    Sequence = I / 2;
#endif
  }
  long value() const { return Id + Price; }

private:
  long Id = 0;
  long Price = 0;
#ifndef ADVICE
  long Created = 0;
  long Sequence = 0;
#endif
};

int main() {
  std::vector<std::unique_ptr<Order>> All;
  All.reserve(5000);
  for (long I = 0; I < 5000; ++I) {
    All.push_back(std::make_unique<Order>());
    All.back()->fill(I);
  }
  long Sum = 0;
  for (const auto &Each : All)
    Sum += Each->value();
  std::printf("%ld\n", Sum);
}
