// Intent: the containers, strings, pointers and functions of libc++, with the same aliases as libstdc++'s.
// RUN: %table %s
// REQUIRES: libcxx, first-llvm
// FLAGS: -stdlib=libc++
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <any>
#include <deque>
#include <forward_list>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <memory_resource>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

struct Foo { int a; double b; };
bool operator<(const Foo &x, const Foo &y) { return x.a < y.a; }
struct Big { int n[15]; };
static const void *volatile Sink;
volatile int N = 10;

int main() {
  std::vector<Foo> vector;
  std::vector<bool> bits(100 * N);
  std::deque<long> deque(N);
  std::list<Foo> list(N);
  std::forward_list<Foo> forward(N);
  std::map<int, Foo> map;
  std::set<Foo> set;
  std::unordered_map<int, Foo> hashed;
  for (int i = 0; i < N; ++i)
    vector.push_back({i, 0}), map[i], set.insert({i, 0}), hashed[i];
  std::string made(4 * N, 'x');
  std::string grown = made;
  for (int i = 0; i < N; ++i)
    grown += "and more and more";
  std::wstring wide(4 * N, L'x');
  auto shared = std::make_shared<Big>();
  std::shared_ptr<Foo> of_pointer(new Foo);
  auto unique = std::make_unique<Foo>();
  std::any any = Big();
  std::function<int(int)> function = [big = Big(), n = int(N)](int m) { return big.n[0] + n + m; };
  std::pmr::vector<short> heap(N);
  std::pmr::monotonic_buffer_resource arena(1024);
  std::pmr::vector<float> in_arena(N, &arena);
  std::ostringstream stream;
  for (int i = 0; i < N; ++i)
    stream << "number " << i << '\n';
  Sink = &bits, Sink = &deque, Sink = &list, Sink = &forward, Sink = &grown, Sink = &wide, Sink = &shared, Sink = &heap;
  Sink = &function, Sink = &unique, Sink = &any, Sink = &in_arena, Sink = &stream;
  try { throw Foo(); } catch (Foo &) {}
  return function(1) - 11;
}
// EXPECT: types["Foo"].allocations >= 4 and "std::vector<Foo> buffer" in [site.alias for site in types["Foo"].sites]
// EXPECT: [row.allocations for row in typed if row.alias == "std::list<Foo> node"] == [10]
// EXPECT: [row.allocations for row in typed if row.alias == "std::forward_list<Foo> node"] == [10]
// EXPECT: [row.allocations for row in typed if row.alias == "std::map<int, Foo> node"] == [10]
// EXPECT: [row.allocations for row in typed if row.alias == "std::set<Foo> node"] == [10]
// EXPECT: [row.allocations for row in typed if row.alias == "std::unordered_map<int, Foo> node"] == [10]
// EXPECT: len([row for row in typed if row.alias == "unordered container buckets"]) == 1
// EXPECT: "std::deque<long> block" in [types["long"].alias] and "std::vector<bool> buffer" in [site.alias for row in typed for site in row.sites]
// EXPECT: types["char"].alias == "std::string buffer" and types["char"].allocations >= 4
// EXPECT: types["wchar_t"].allocations == 1 and types["wchar_t"].alias == "std::wstring buffer"
// EXPECT: [row.allocations for row in typed if row.alias == "std::shared_ptr<Big> object and control block"] == [1]
// EXPECT: [row.allocations for row in typed if row.alias == "std::shared_ptr<Foo> control block"] == [1]
// EXPECT: types["Big"].allocations == 1 and [row.allocations for row in typed if row.alias == "std::function target"] == [1]
// EXPECT: types["short"].elements == 10 and not [row.type for row in typed if row.type == "float"]
// EXPECT: not [row.type for row in typed if "__1" in row.type] and not untyped
// ALONE: types["char"].allocations >= 1
