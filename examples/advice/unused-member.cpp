// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A container in each object that this run never used: made when it is needed.
#include <cstdio>
#include <memory>
#include <vector>

struct Token {
  long Line = 0, Column = 0;
#ifdef ADVICE
  std::unique_ptr<std::vector<int>> Expanded;
  void expand(int From) {
    if (!Expanded)
      Expanded = std::make_unique<std::vector<int>>();
    Expanded->push_back(From);
  }
#else
  std::vector<int> Expanded;
  void expand(int From) { Expanded.push_back(From); }
#endif
};

int main(int Count, char **) {
  std::vector<std::unique_ptr<Token>> All;
  All.reserve(5000);
  for (int I = 0; I < 5000; ++I) {
    All.push_back(std::make_unique<Token>());
    All.back()->Line = I;
    All.back()->Column = I % 80;
    if (Count > 1)
      All.back()->expand(I);
  }
  long Sum = 0;
  for (const auto &Each : All)
    Sum += Each->Line + Each->Column;
  std::printf("%ld\n", Sum);
}
