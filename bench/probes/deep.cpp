// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// deep.cpp - pairs of new and delete below 16 calls, which are not counted, for
// stacks=: `deep new PAIRS`.
#include <cstdlib>
#include <cstring>

static void *volatile Kept;

template <int Level> __attribute__((noinline)) long down(long Pairs) {
  if constexpr (Level == 0) {
    for (long I = 0; I < Pairs; ++I) {
      long *P = new long[6];
      Kept = P;
      delete[] static_cast<long *>(Kept);
    }
    return Pairs;
  } else {
    return down<Level - 1>(Pairs) + 1; // not a tail call
  }
}

int main(int Argc, char **Argv) {
  if (Argc != 3 || std::strcmp(Argv[1], "new") != 0)
    return 2;
  return down<15>(std::atol(Argv[2])) == 0;
}
