// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Three findings: one that helps, one whose edit the test rejects, one whose edit does not build.
#include <cstdio>
#include <memory>
#include <vector>

struct Texture {
  int Width = 1;
};

static std::vector<int> first() {
  std::vector<int> Out;
  for (int I = 0; I < 1000; ++I)
    Out.push_back(I);
  return Out;
}

static std::vector<long> second() {
  std::vector<long> Out;
  for (int I = 0; I < 1000; ++I)
    Out.push_back(I);
  return Out;
}

static int third(int Rounds) {
  int Sum = 0;
  for (int I = 0; I < Rounds; ++I)
    Sum += std::shared_ptr<Texture>(new Texture)->Width;
  return Sum;
}

int main() {
  long Sum = third(2000);
  for (int Round = 0; Round < 100; ++Round)
    Sum += first().back() + second().back();
  std::printf("%ld\n", Sum);
}
