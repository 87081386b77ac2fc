// Intent: countOf and Owns count the objects that are alive, wherever they lie: in nodes, buffers, blocks of make_shared, optionals, variants, members, and as bases.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %if all-tiers %{ %inmem-clangxx -std=c++17 -O1 %s -o %t.17 %}
// RUN: %if all-tiers %{ env INMEM_OPTIONS=output=%t.17.inmem %t.17 %}
// RUN: %inmem-clangxx -std=c++20 -O1 %s -o %t.20
// RUN: env INMEM_OPTIONS=output=%t.20.inmem %t.20
#include <inmem/graph.h>

#include <array>
#include <cstdio>
#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

static int Failures = 0;

struct Entry {
  std::string Name;
  std::unique_ptr<Entry> Next;
};
struct Two {
  Entry A, B;
};
struct Many {
  Entry Four[2][2];
  Entry *Elsewhere[3] = {};
};
struct Base {
  virtual ~Base() = default;
  long Common = 0;
};
struct Derived : Base {
  long More = 0;
};
struct Left : virtual Base {};
struct Right : virtual Base {};
struct Diamond : Left, Right {};
struct Ordered {
  int Key;
  bool operator<(const Ordered &Other) const { return Key < Other.Key; }
};

template <class T, class O>
void holds(const char *What, std::uint64_t Expected, const O &Object) {
  inmem::ObjectProfile P = inmem::profile(Object);
  const std::uint64_t Found =
      P.countOf(inmem::detail::describedName<T>());
  if (Found == Expected)
    return;
  ++Failures;
  std::printf("%s: %llu, not %llu\n%s", What, (unsigned long long)Found,
              (unsigned long long)Expected, P.text().c_str());
}

static void containers() {
  std::map<int, Entry> M;
  for (int I = 0; I < 3; ++I)
    M[I];
  holds<Entry>("map", 3, M);
  std::unordered_map<int, Entry> H;
  for (int I = 0; I < 3; ++I)
    H[I];
  holds<Entry>("unordered_map", 3, H);
  holds<Entry>("list", 3, std::list<Entry>(3));
  holds<Entry>("forward_list", 3, std::forward_list<Entry>(3));
  holds<Entry>("deque", 3, std::deque<Entry>(3));
  holds<Entry>("deque of many", 700, std::deque<Entry>(700));
  holds<Entry>("array", 3, std::array<Entry, 3>());
  holds<Ordered>("set", 3, std::set<Ordered>{{1}, {2}, {3}});
  std::vector<Entry> V;
  holds<Entry>("empty vector", 0, V);
  for (int I = 0; I < 3; ++I)
    V.emplace_back();
  holds<Entry>("vector that grew", 3, V);
  V.reserve(10);
  holds<Entry>("vector with spare room", 3, V);
  V.clear();
  holds<Entry>("vector that was cleared", 0, V);
  holds<int>("ints", 7, std::vector<int>(7));
  holds<std::string>("strings", 3, std::vector<std::string>(3));
  std::map<int, std::list<Entry>> Inner;
  Inner[1].resize(4);
  Inner[2].resize(1);
  holds<Entry>("lists in a map", 5, Inner);
  holds<std::list<Entry>>("the lists themselves", 2, Inner);
}

static void pointers() {
  holds<Entry>("make_unique", 1, std::make_unique<Entry>());
  holds<Entry>("make_shared", 1, std::make_shared<Entry>());
  holds<Entry>("shared_ptr of new", 1, std::shared_ptr<Entry>(new Entry));
  holds<Entry>("members", 2, std::make_unique<Two>());
  holds<Entry>("members of the root", 2, Two());
  holds<Entry>("arrays in an object", 4, Many());
  holds<Entry>("array", 5, std::make_unique<Entry[]>(5));
  Entry First;
  First.Next = std::make_unique<Entry>();
  First.Next->Next = std::make_unique<Entry>();
  holds<Entry>("not the root", 2, First);
  std::weak_ptr<Entry> Ended = std::make_shared<Entry>();
  holds<Entry>("weak_ptr to what has ended", 0, Ended);
  std::list<Entry *> Pointers = {&First, new Entry};
  holds<Entry>("list of pointers", 4, Pointers);
}

static void bases() {
  std::vector<std::unique_ptr<Base>> V;
  V.push_back(std::make_unique<Derived>());
  V.push_back(std::make_unique<Base>());
  V.push_back(std::make_unique<Diamond>());
  holds<Base>("bases", 3, V);
  holds<Derived>("derived", 1, V);
  holds<Left>("between", 1, V);
  holds<Base>("the root's own base", 0, Derived());
}

static void alternatives() {
  std::optional<Entry> O(std::in_place);
  holds<Entry>("optional", 1, O);
  O.reset();
  holds<Entry>("empty optional", 0, O);
  using V = std::variant<int, Entry, std::list<Entry>>;
  holds<Entry>("variant", 1, V(std::in_place_index<1>));
  holds<Entry>("variant: list", 3, V(std::in_place_index<2>, 3));
  holds<Entry>("variant: int", 0, V(1));
  std::map<int, std::optional<Two>> M;
  M[1].emplace();
  M[2];
  holds<Entry>("optionals in a map", 2, M);
}

int main() {
  containers();
  pointers();
  bases();
  alternatives();
  return Failures != 0;
}
