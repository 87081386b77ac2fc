// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors with room for far more than they ever hold.
#include <cstdio>
#include <string>
#include <vector>

struct Line {
  std::string Text;
  int Number = 0;
};

#ifdef ADVICE
constexpr size_t kRoom = 3;
#else
constexpr size_t kRoom = 64;
#endif

static size_t linesOf(int Page) {
  std::vector<Line> Lines;
  Lines.reserve(kRoom);
  for (int I = 0; I < 3; ++I)
    Lines.push_back({"line", Page + I});
  return Lines.size();
}

int main() {
  size_t Sum = 0;
  for (int Page = 0; Page < 2000; ++Page)
    Sum += linesOf(Page);
  std::printf("%zu\n", Sum);
}
