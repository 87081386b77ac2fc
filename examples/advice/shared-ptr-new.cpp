// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two blocks for each shared object: the object, and what counts its owners.
#include <cstdio>
#include <memory>
#include <vector>

struct Texture {
  int Width = 1, Height = 1;
};

int main() {
  std::vector<std::shared_ptr<Texture>> All;
  All.reserve(5000);
  for (int I = 0; I < 5000; ++I)
#ifdef ADVICE
    All.push_back(std::make_shared<Texture>());
#else
    All.push_back(std::shared_ptr<Texture>(new Texture));
#endif
  std::printf("%zu\n", All.size());
}
