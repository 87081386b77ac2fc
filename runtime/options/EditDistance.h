//===- EditDistance.h - Difference between two words' spellings -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_EDITDISTANCE_H
#define INMEM_RUNTIME_EDITDISTANCE_H

#include <stddef.h>

namespace inmem::rt {

/// The number of letters to add, drop, replace, or swap with the next one, to
/// turn A into B; 24 if a word is longer than that.
inline unsigned editDistance(const char *A, size_t LengthA, const char *B,
                             size_t LengthB) {
  constexpr size_t kMost = 24;
  if (LengthA > kMost || LengthB > kMost)
    return kMost;
  const auto Least = [](unsigned X, unsigned Y) { return X < Y ? X : Y; };
  unsigned Rows[kMost + 1][kMost + 1];
  for (unsigned I = 0; I <= LengthA; ++I)
    for (unsigned J = 0; J <= LengthB; ++J) {
      unsigned &Here = Rows[I][J];
      if (I == 0 || J == 0) {
        Here = I + J;
        continue;
      }
      Here = Least(Least(Rows[I - 1][J], Rows[I][J - 1]) + 1,
                   Rows[I - 1][J - 1] + (A[I - 1] == B[J - 1] ? 0 : 1));
      if (I > 1 && J > 1 && A[I - 1] == B[J - 2] && A[I - 2] == B[J - 1])
        Here = Least(Here, Rows[I - 2][J - 2] + 1);
    }
  return Rows[LengthA][LengthB];
}

/// The most letters in which a misspelt word of \p Length may differ from the
/// intended one.
inline unsigned mostTypos(size_t Length) {
  const auto Third = static_cast<unsigned>(Length / 3);
  return Third ? Third : 1;
}

} // namespace inmem::rt

#endif
