// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// templates.cpp - only compiled: what the plugin adds to the compile time of a
// file full of templates, the standard library's and its own.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <regex>
#include <sstream>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

template <int N> struct Node {
  std::string Name;
  std::vector<std::shared_ptr<Node<N - 1>>> Children;
  std::map<int, std::unique_ptr<Node<N - 1>>> ByKey;
  std::variant<int, std::string, std::vector<Node<N - 1>>> Value;
  Node() : Name("node " + std::to_string(N)), Value(N) {
    Children.push_back(std::make_shared<Node<N - 1>>());
    ByKey.emplace(N, std::make_unique<Node<N - 1>>());
    Value = std::vector<Node<N - 1>>(2);
  }
  size_t count() const {
    size_t Sum = 1;
    for (const auto &C : Children)
      Sum += C->count();
    for (const auto &[Key, C] : ByKey)
      Sum += C->count() + static_cast<size_t>(Key);
    return std::visit(
        [&](const auto &V) -> size_t {
          if constexpr (std::is_integral_v<std::decay_t<decltype(V)>>)
            return Sum + static_cast<size_t>(V);
          else
            return Sum + V.size();
        },
        Value);
  }
};
template <> struct Node<0> {
  std::string Name = "leaf";
  size_t count() const { return Name.size(); }
};

int main(int Argc, char **Argv) {
  Node<3> Root;
  std::unordered_map<std::string,
                     std::function<std::string(const std::smatch &)>>
      Actions;
  for (auto Name : {"a", "b", "c"})
    Actions[Name] = [=](const std::smatch &M) { return M.str() + Name; };
  std::regex Word("([a-c])(\\w+)");
  std::ostringstream Out;
  std::vector<std::tuple<int, std::string, std::optional<double>>> Rows;
  for (int I : std::views::iota(0, Argc * 10) |
                   std::views::filter([](int I) { return I % 2; }))
    Rows.emplace_back(I, std::to_string(I),
                      I % 3 ? std::optional<double>(I / 2.0) : std::nullopt);
  std::ranges::sort(Rows, {}, [](const auto &R) { return std::get<1>(R); });
  std::string Text = Argc > 1 ? Argv[1] : "abc";
  if (std::smatch M; std::regex_search(Text, M, Word))
    Out << Actions[M[1]](M);
  Out << Root.count() << Rows.size();
  return static_cast<int>(Out.str().size() % 7);
}
