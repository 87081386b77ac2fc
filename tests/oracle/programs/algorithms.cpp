// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// oracle-flags: -Wno-deprecated-declarations
// Algorithms that take temporary memory, and a sort that takes none.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>
#include <ranges>
#include <string>
#include <valarray>
#include <vector>

int main() {
  std::mt19937 random(5);
  std::vector<std::string> words;
  for (int i = 0; i < 3000; ++i)
    words.push_back("word" + std::to_string(random() % 100000));
  auto sorted = words;
  std::ranges::sort(sorted);
  std::stable_sort(words.begin(), words.end(),
                   [](auto &a, auto &b) { return a.size() < b.size(); });
  std::inplace_merge(sorted.begin(), sorted.begin() + 1500, sorted.end());
  std::rotate(words.begin(), words.begin() + 100, words.end());
  std::valarray<double> numbers(1000);
  std::iota(std::begin(numbers), std::end(numbers), 1);
  std::valarray<double> squares = numbers * numbers + 1.0;
  auto even = words | std::views::filter(
                          [](auto &word) { return word.size() % 2 == 0; });
  std::printf("%zu %.0f %td\n", sorted.size(), squares.sum(),
              std::ranges::distance(even));
}
