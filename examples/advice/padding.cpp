// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Members in an order that leaves holes between them.
#include <cstdio>
#include <memory>
#include <vector>

struct Particle {
#ifdef ADVICE
  double X = 0, Y = 0;
  int Colour = 0;
  bool Alive = true, Visible = true;
#else
  bool Alive = true;
  double X = 0;
  bool Visible = true;
  double Y = 0;
  int Colour = 0;
#endif
};

int main() {
  std::vector<std::unique_ptr<Particle>> All;
  All.reserve(5000);
  for (int I = 0; I < 5000; ++I)
    All.push_back(std::make_unique<Particle>());
  std::printf("%d\n", All.back()->Alive);
}
