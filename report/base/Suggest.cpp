//===- Suggest.cpp - Distances between words ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/base/Words.h"

#include <algorithm>
#include <vector>

namespace inmem::report {

size_t editDistance(std::string_view A, std::string_view B) {
  // Rows of the table: two letters ago, one letter ago, and current.
  std::vector<size_t> Before, Last(B.size() + 1), Now(B.size() + 1);
  for (size_t J = 0; J <= B.size(); ++J)
    Now[J] = J;
  for (size_t I = 1; I <= A.size(); ++I) {
    Before = std::move(Last);
    Last = std::move(Now);
    Now.assign(B.size() + 1, I);
    for (size_t J = 1; J <= B.size(); ++J) {
      Now[J] = std::min({Last[J] + 1, Now[J - 1] + 1,
                         Last[J - 1] + (A[I - 1] == B[J - 1] ? 0u : 1u)});
      if (I > 1 && J > 1 && A[I - 1] == B[J - 2] && A[I - 2] == B[J - 1])
        Now[J] = std::min(Now[J], Before[J - 2] + 1);
    }
  }
  return Now[B.size()];
}

std::string didYouMean(std::string_view Typed,
                       std::span<const std::string> Words) {
  constexpr size_t kLongest = 200; // longer words are not typing errors
  if (Typed.empty() || Typed.size() > kLongest)
    return "";
  const size_t Most = std::max<size_t>(1, Typed.size() / 3);
  size_t Best = Most + 1;
  std::string_view Meant;
  for (const std::string &Word : Words) {
    if (Word.size() > Typed.size() + Most || Typed.size() > Word.size() + Most)
      continue;
    if (const size_t Far = editDistance(Typed, Word); Far < Best) {
      Best = Far;
      Meant = Word;
    }
  }
  return Meant.empty() || Best >= Meant.size()
             ? ""
             : "; did you mean '" + std::string(Meant) + "'?";
}

std::string listed(std::span<const std::string> Words) {
  std::string Out;
  for (size_t I = 0; I < Words.size(); ++I) {
    if (I > 0)
      Out += I + 1 == Words.size() ? " or " : ", ";
    Out += Words[I];
  }
  return Out;
}

} // namespace inmem::report
