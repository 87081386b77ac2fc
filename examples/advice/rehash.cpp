// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A hash table that is rehashed again and again as it grows.
#include <cstdio>
#include <unordered_set>

static size_t distinct(int Seed) {
  std::unordered_set<int> Seen;
#ifdef ADVICE
  Seen.reserve(2357);
#endif
  for (int I = 0; I < 2000; ++I)
    Seen.insert(I * Seed);
  return Seen.size();
}

int main() {
  size_t Sum = 0;
  for (int Round = 1; Round <= 50; ++Round)
    Sum += distinct(Round);
  std::printf("%zu\n", Sum);
}
