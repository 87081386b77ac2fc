// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exceptions thrown through constructors, new-expressions and containers.
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

struct Picky {
  std::string name;
  std::unique_ptr<int[]> data{new int[10]};
  explicit Picky(int n) : name("a picky object, number " + std::to_string(n)) {
    if (n % 3 == 0)
      throw std::runtime_error("picky about " + std::to_string(n));
  }
};

int main() {
  int caught = 0;
  std::exception_ptr kept;
  for (int i = 0; i < 300; ++i) {
    try {
      std::vector<std::unique_ptr<Picky>> all;
      for (int j = 0; j < 5; ++j)
        all.emplace_back(new Picky(i + j));
    } catch (const std::runtime_error &) {
      ++caught;
      kept = std::current_exception();
    }
    try {
      try {
        throw i;
      } catch (int) {
        std::throw_with_nested(
            std::logic_error("an outer error with a long enough message"));
      }
    } catch (const std::exception &) {
      ++caught;
    }
    try {
      std::vector<int>().at(3);
    } catch (const std::out_of_range &) {
      ++caught;
    }
  }
  std::printf("%d\n", caught);
}
