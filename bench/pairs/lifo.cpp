// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lifo.cpp - new and delete in immediate succession: the allocator's fastest
// path, so that the time is mostly the hook's.
#include "Pair.h"

int main(int Argc, char **Argv) {
  return bench::print(
      bench::nsPerPair(bench::pairsFrom(Argc, Argv), [](uint64_t Pairs) {
        for (uint64_t I = 0; I < Pairs; ++I) {
          uint64_t *P = new uint64_t[6];
          bench::keep(P);
          delete[] P;
        }
        return Pairs;
      }));
}
