// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A map that is filled and emptied: a block for each node, each time.
#include <cstdio>
#include <map>
#include <memory_resource>

int main() {
#ifdef ADVICE
  std::pmr::unsynchronized_pool_resource Pool;
  std::pmr::map<int, int> Open(&Pool);
#else
  std::map<int, int> Open;
#endif
  long Sum = 0;
  for (int Round = 0; Round < 100; ++Round) {
    for (int I = 0; I < 500; ++I)
      Open[I * 7 % 501] = I;
    Sum += Open.begin()->second;
    Open.clear();
  }
  std::printf("%ld\n", Sum);
}
