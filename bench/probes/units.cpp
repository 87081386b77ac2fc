// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One of the units of bench/debuginfo, which renames unit000 in its assembly.
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace unit000 {
struct Point {
  double X, Y;
};
struct Node {
  Node *Next;
  int Value;
  std::string Text;
};
struct Base {
  virtual ~Base() = default;
  virtual int run(int) = 0;
};
struct First : Base {
  int A[4];
  int run(int N) override { return A[N & 3] + N; }
};
struct Second : Base {
  std::vector<Point> All;
  int run(int N) override {
    All.resize(static_cast<size_t>(N));
    return N;
  }
};

__attribute__((noinline)) Node *list(int N) {
  Node *Out = nullptr;
  while (N-- > 0)
    Out = new Node{Out, N, std::string(40, 'x')};
  return Out;
}
__attribute__((noinline)) void drop(Node *N) {
  while (N) {
    Node *Next = N->Next;
    delete N;
    N = Next;
  }
}
__attribute__((noinline)) std::unique_ptr<Base> make(int N) {
  if (N & 1)
    return std::make_unique<First>();
  return std::make_unique<Second>();
}
__attribute__((noinline)) size_t tables(int N) {
  std::map<int, Point> Points;
  std::unordered_map<std::string, Node> Nodes;
  std::set<std::pair<int, int>> Pairs;
  std::vector<std::function<int(int)>> Calls;
  for (int I = 0; I < N; ++I) {
    Points[I] = {1.0 * I, 2};
    Nodes["a long key that is not kept in the string itself " +
          std::to_string(I)]
        .Value = I;
    Pairs.emplace(I, I);
    Calls.emplace_back([I, P = Point{1, 2}, Q = Point{3, 4}](int M) {
      return M + I + static_cast<int>(P.X + Q.X);
    });
  }
  return Points.size() + Nodes.size() + Pairs.size() +
         static_cast<size_t>(Calls.back()(1));
}
__attribute__((noinline)) size_t shared(int N) {
  auto One = std::make_shared<Node>();
  std::vector<std::shared_ptr<Node>> Many(static_cast<size_t>(N), One);
  auto *Raw =
      static_cast<Point *>(std::malloc(sizeof(Point) * static_cast<size_t>(N)));
  Raw[0].X = N;
  const size_t Out = Many.size() + static_cast<size_t>(Raw[0].X);
  std::free(Raw);
  return Out;
}
__attribute__((noinline)) size_t document(int N) {
  nlohmann::json All;
  for (int I = 0; I < N; ++I)
    All["list"].push_back({{"id", I},
                           {"name", "a name of more than fifteen letters"},
                           {"at", {1.5, 2.5}}});
  return All.dump().size();
}
int all(int N) {
  Node *L = list(N);
  drop(L);
  auto A = make(N), B = make(N + 1);
  return A->run(N) + B->run(N) +
         static_cast<int>(tables(N) + shared(N) + document(N));
}
} // namespace unit000
