// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// random.cpp - 64 k live blocks, replaced in random order: every free finds its
// block, and its index entry, outside the first cache.
#include "Pair.h"

int main(int Argc, char **Argv) {
  constexpr uint32_t Live = 64 * 1024, Size = 48;
  static char *Blocks[Live];
  bench::Random R;
  for (char *&Block : Blocks)
    Block = new char[Size];
  double Ns =
      bench::nsPerPair(bench::pairsFrom(Argc, Argv), [&](uint64_t Pairs) {
        for (uint64_t I = 0; I < Pairs; ++I) {
          char *&Block = Blocks[R.next() % Live];
          delete[] Block;
          Block = new char[Size];
          Block[0] = 1;
        }
        return Pairs;
      });
  for (char *Block : Blocks)
    delete[] Block;
  return bench::print(Ns);
}
