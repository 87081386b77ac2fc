// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A parameter that is copied to be read.
#include <cstdio>
#include <string>
#include <vector>

struct Document {
  std::vector<int> Words = std::vector<int>(100, 1);
};

#ifdef ADVICE
static int length(const Document &D) {
  return static_cast<int>(D.Words.size());
}
#else
__attribute__((noinline)) static int length(Document D) {
  return static_cast<int>(D.Words.size());
}
#endif

int main() {
  const Document D;
  long Sum = 0;
  for (int I = 0; I < 5000; ++I)
    Sum += length(D);
  std::printf("%ld\n", Sum);
}
