// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// deep.cpp - new and delete in immediate succession, below 16 calls: for
// stacks=16.
#include "Pair.h"

template <int Level> __attribute__((noinline)) uint64_t down(uint64_t Pairs) {
  if constexpr (Level == 0) {
    for (uint64_t I = 0; I < Pairs; ++I) {
      long *P = new long[6];
      bench::keep(P);
      delete[] P;
    }
    return Pairs;
  } else {
    return down<Level - 1>(Pairs + 1) - 1; // not a tail call
  }
}

int main(int Argc, char **Argv) {
  return bench::print(
      bench::nsPerPair(bench::pairsFrom(Argc, Argv),
                       [](uint64_t Pairs) { return down<15>(Pairs); }));
}
