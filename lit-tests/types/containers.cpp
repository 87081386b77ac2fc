// Intent: the containers of libstdc++: nodes and buffers as the library spells them, with an alias beside.
// RUN: %table %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <deque>
#include <forward_list>
#include <functional>
#include <future>
#include <list>
#include <map>
#include <queue>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

struct Foo { int a; double b; };
bool operator<(const Foo &x, const Foo &y) { return x.a < y.a; }
struct Hash { std::size_t operator()(const Foo &foo) const { return foo.a; } };
bool operator==(const Foo &x, const Foo &y) { return x.a == y.a; }
static const void *volatile Sink;
volatile int N = 10;

int main() {
  std::vector<Foo> vector;
  std::vector<bool> bits(100 * N);
  std::deque<long> deque(N);
  std::list<Foo> list(N);
  std::forward_list<Foo> forward(N);
  std::map<int, Foo> map;
  std::multimap<int, short> multimap;
  std::set<Foo> set;
  std::unordered_map<int, Foo> hashed;
  std::unordered_set<Foo, Hash> hashed_set;
  std::map<std::string, std::vector<int>> nested;
  std::priority_queue<unsigned> queue;
  vector.reserve(N);
  for (int i = 0; i < N; ++i) {
    map[i], set.insert({i, 0}), hashed[i], hashed_set.insert({i, 0}), multimap.emplace(i, 1);
    queue.push(i);
  }
  nested["a"].push_back(1);
  struct { int a; Foo more; } captured{N, {}};
  std::function<int()> function = [captured] { return captured.a; };
  std::vector<std::vector<Foo>> vectors(N);
  Sink = &vector, Sink = &bits, Sink = &function, Sink = &forward, Sink = &list;
  return function() != N;
}
// EXPECT: types["Foo"].allocations == 1 and types["Foo"].elements == 10 and types["Foo"].alias == "std::vector<Foo> buffer"
// EXPECT: types["unsigned long"].sites[0].alias == "std::vector<bool> buffer"
// EXPECT: types["long"].alias == "std::deque<long> block" and "long *" in [row.type for row in typed]
// EXPECT: types["std::_List_node<Foo>"].allocations == 10 and types["std::_List_node<Foo>"].alias == "std::list<Foo> node"
// EXPECT: types["std::_Fwd_list_node<Foo>"].allocations == 10 and types["std::_Fwd_list_node<Foo>"].alias == "std::forward_list<Foo> node"
// EXPECT: types["std::_Rb_tree_node<std::pair<const int, Foo>>"].allocations == 10 and types["std::_Rb_tree_node<std::pair<const int, Foo>>"].alias == "std::map<int, Foo> node"
// EXPECT: types["std::_Rb_tree_node<Foo>"].allocations == 10 and types["std::_Rb_tree_node<Foo>"].alias == "std::set<Foo> node"
// EXPECT: types["std::_Rb_tree_node<std::pair<const int, short>>"].allocations == 10
// EXPECT: types["std::__detail::_Hash_node<std::pair<const int, Foo>, false>"].allocations == 10 and types["std::__detail::_Hash_node<std::pair<const int, Foo>, false>"].alias == "std::unordered_map<int, Foo> node"
// EXPECT: [row.allocations for row in typed if row.alias == "std::unordered_set<Foo> node"] == [10]
// EXPECT: types["std::__detail::_Hash_node_base *"].alias == "unordered container buckets"
// EXPECT: [row.allocations for row in typed if row.alias == "std::map<std::string, std::vector<int>> node"] == [1]
// EXPECT: types["unsigned int"].alias == "std::vector<unsigned int> buffer"
// EXPECT: types["std::vector<Foo>"].elements == 10 and types["std::vector<Foo>"].alias == "std::vector<std::vector<Foo>> buffer"
// EXPECT: [row.allocations for row in typed if row.type.startswith("(lambda at ") and row.alias == "std::function target"] == [1]
// EXPECT: not untyped
// ALONE: types["Foo"].allocations == 1 and types["unsigned int"].allocations >= 1
