// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// std::function, any, variant, optional, bind: small and heap-held callables.
#include <any>
#include <array>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

int main() {
  std::vector<std::function<int(int)>> steps;
  std::array<int, 20> table{};
  for (int i = 0; i < 50; ++i) {
    steps.emplace_back([i](int n) { return n + i; });
    steps.emplace_back([table, i](int n) { return n + table[i % 20]; });
    steps.emplace_back(std::bind(std::plus<int>(), std::placeholders::_1, i));
  }
  auto copies = steps;
  int total = 0;
  for (auto &step : copies)
    total = step(total);
  std::vector<std::any> anything{
      1, std::string("a string held by any, on the heap"), 2.5, table};
  std::variant<int, std::string> either =
      std::string("a string held by a variant, long enough");
  std::optional<std::vector<int>> maybe(std::in_place, 100, 1);
  std::printf("%d %zu %zu %zu\n", total, anything.size(), either.index(),
              maybe->size());
}
