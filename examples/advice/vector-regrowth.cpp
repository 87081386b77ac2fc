// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A vector that is filled without saying how large it will be.
#include <cstdio>
#include <vector>

struct Point {
  double X, Y;
};

static std::vector<Point> circle(int Corners) {
  std::vector<Point> Out;
#ifdef ADVICE
  Out.reserve(1024);
#endif
  for (int I = 0; I < Corners; ++I)
    Out.push_back({I * 0.5, I * 2.0});
  return Out;
}

int main() {
  double Sum = 0;
  for (int Round = 0; Round < 200; ++Round)
    Sum += circle(1000).back().X;
  std::printf("%g\n", Sum);
}
