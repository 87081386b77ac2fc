// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// map.cpp - a map<int, string> filled with 1000 keys in scattered order and
// destroyed: 2000 pairs, nodes and strings.
#include "Pair.h"
#include <map>
#include <string>

int main(int Argc, char **Argv) {
  return bench::print(
      bench::nsPerPair(bench::pairsFrom(Argc, Argv), [](uint64_t Pairs) {
        constexpr uint64_t Keys = 1000;
        uint64_t Maps = Pairs / (2 * Keys) + 1;
        for (uint64_t I = 0; I < Maps; ++I) {
          std::map<int, std::string> M;
          for (uint64_t K = 0; K < Keys; ++K)
            M.emplace(static_cast<int>(K * 7919 % Keys),
                      std::string(20 + K % 16, 'v'));
          auto *P = &M;
          bench::keep(P);
        }
        return Maps * 2 * Keys;
      }));
}
