// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// vector.cpp - a vector of 8 strings too long to be stored in place, made and
// destroyed: 9 pairs.
#include "Pair.h"
#include <string>
#include <vector>

int main(int Argc, char **Argv) {
  return bench::print(
      bench::nsPerPair(bench::pairsFrom(Argc, Argv), [](uint64_t Pairs) {
        constexpr uint64_t PerVector = 9;
        uint64_t Vectors = Pairs / PerVector + 1;
        for (uint64_t I = 0; I < Vectors; ++I) {
          std::vector<std::string> V;
          V.reserve(8);
          for (int S = 0; S < 8; ++S)
            V.emplace_back(24 + S, 'x');
          auto *P = &V;
          bench::keep(P);
        }
        return Vectors * PerVector;
      }));
}
