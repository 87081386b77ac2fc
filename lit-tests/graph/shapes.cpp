// Intent: deep sizes of sixty shapes of object are what is computed by hand, and what building them took from the heap.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %if all-tiers %{ %if first-llvm %{ %inmem-clangxx -std=c++20 -O0 %s -o %t.0 %} %}
// RUN: %if all-tiers %{ %if first-llvm %{ env INMEM_OPTIONS=output=%t.0.inmem %t.0 %} %}
// RUN: %inmem-clangxx -std=c++20 -O2 %s -o %t.2
// RUN: env INMEM_OPTIONS=output=%t.2.inmem %t.2
#include <inmem/graph.h>
#include <inmem/inmem.h>

#include <any>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <forward_list>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <span>
#include <stack>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

static int Failures = 0, Shapes = 0;

static uint64_t live() {
  inmem_counters C = {};
  inmem_thread_counters(&C);
  return C.allocated_bytes - C.freed_bytes;
}

constexpr uint64_t kByGrowth = ~uint64_t{0};

/// \p Heap: bytes that the shape takes from the heap, computed by hand; where
/// the library decides (hash tables, deques), what it did take.
template <class Make> void shape(const char *Name, uint64_t Heap, Make Build) {
  ++Shapes;
  const uint64_t Before = live();
  auto Object = Build();
  const uint64_t Grown = live() - Before;
  const uint64_t Deep = inmem::deepSize(Object);
  const uint64_t Expected =
      sizeof Object + (Heap == kByGrowth ? Grown : Heap);
  if (Deep != Expected || (Heap != kByGrowth && Grown != Heap)) {
    ++Failures;
    std::printf("%s: deep size %llu, by hand %llu, heap grew by %llu\n%s", Name,
                (unsigned long long)Deep, (unsigned long long)Expected,
                (unsigned long long)Grown,
                inmem::profile(Object).text().c_str());
  }
}

struct Point {
  int X, Y;
};
struct Leaf {
  long Value = 0;
};
struct Pair {
  Leaf *A = nullptr, *B = nullptr;
};
struct Node {
  Node *Next = nullptr;
  int Value = 0;
};
struct Owner {
  std::unique_ptr<Leaf> Own;
  std::string Name;
  std::vector<std::string> Names;
};
struct Base {
  virtual ~Base() = default;
  long Common = 0;
};
struct Derived : Base {
  std::string Text = std::string(100, 'd');
  std::vector<int> Numbers = std::vector<int>(10);
};
struct Other {
  virtual ~Other() = default;
  long Pad = 0;
};
struct Many : Other, Base {
  std::string Text = std::string(50, 'm');
};
struct Virtual : virtual Base {
  std::unique_ptr<Leaf> Own = std::make_unique<Leaf>();
};
struct Diamond : Virtual, virtual Base {
  std::string Text = std::string(40, 'v');
};
struct Flexible {
  int Count;
  Leaf *Leaves[];
};
union Either {
  long Number;
  Leaf *Pointer;
};
struct Tagged {
  uintptr_t Word;
};
struct Bits {
  unsigned A : 3, B : 20;
  Leaf *L = nullptr;
};
template <class T> struct Tree {
  T Value;
  std::unique_ptr<Tree> Left, Right;
};
struct Referring {
  Leaf &L;
};
struct Deleter {
  std::string Why;
  void operator()(Leaf *L) const { delete L; }
};
struct Cyclic {
  std::shared_ptr<Cyclic> Forward;
  std::weak_ptr<Cyclic> Back;
};

static std::string longText(char C) { return std::string(99, C); }

static void scalarsAndPointers() {
  shape("int", 0, [] { return 7; });
  shape("struct of scalars", 0, [] { return Point{1, 2}; });
  shape("null pointer", 0, [] { return (Leaf *)nullptr; });
  shape("pointer", 8, [] { return new Leaf; });
  shape("two pointers to one object", 8, [] {
    auto *L = new Leaf;
    return Pair{L, L};
  });
  shape("list of a hundred", 100 * 16, [] {
    Node *First = nullptr;
    for (int I = 0; I < 100; ++I)
      First = new Node{First, I};
    return First;
  });
  shape("cycle", 2 * 16, [] {
    auto *A = new Node, *B = new Node;
    A->Next = B;
    B->Next = A;
    return A;
  });
  shape("short string", 0, [] { return std::string("short"); });
#ifdef _LIBCPP_VERSION
  constexpr uint64_t kLong = 1008; // with a NUL, rounded up to 16
#else
  constexpr uint64_t kLong = 1001;
#endif
  shape("long string", kLong, [] { return std::string(1000, 'x'); });
}

static void vectors() {
  shape("vector of ints", 40, [] { return std::vector<int>(10); });
  shape("vector with spare room", 400, [] {
    std::vector<int> V;
    V.reserve(100);
    V.push_back(1);
    return V;
  });
  shape("empty vector", 0, [] { return std::vector<int>(); });
  shape("vector of unique_ptr", 10 * (8 + 8), [] {
    std::vector<std::unique_ptr<Leaf>> V(10);
    for (auto &P : V)
      P = std::make_unique<Leaf>();
    return V;
  });
  shape("vector of strings", kByGrowth, [] {
    return std::vector<std::string>(8, longText('s'));
  });
  shape("vector of vectors", 3 * sizeof(std::vector<int>) + 3 * 20, [] {
    return std::vector<std::vector<int>>(3, std::vector<int>(5));
  });
  shape("vector<bool>", 128 / 8, [] { return std::vector<bool>(128, true); });
  shape("stale elements do not count", 64 + 8, [] {
    std::vector<Leaf *> V;
    V.reserve(8);
    V.push_back(new Leaf);
    return V;
  });
  shape("array", 3 * 8, [] {
    return std::array<std::unique_ptr<Leaf>, 3>{std::make_unique<Leaf>(),
                                                std::make_unique<Leaf>(),
                                                std::make_unique<Leaf>()};
  });
}

static void smartPointers() {
  shape("unique_ptr", 8, [] { return std::make_unique<Leaf>(); });
  shape("unique_ptr to an array", 8 + 4 * sizeof(std::string), [] {
    return std::unique_ptr<std::string[]>(new std::string[4]);
  });
  shape("unique_ptr with a deleter", kByGrowth, [] {
    return std::unique_ptr<Leaf, Deleter>(new Leaf, Deleter{longText('d')});
  });
  shape("make_shared", kByGrowth, [] { return std::make_shared<Owner>(); });
  shape("shared_ptr of new", kByGrowth,
        [] { return std::shared_ptr<Leaf>(new Leaf); });
  shape("two shared_ptr to one", kByGrowth, [] {
    auto P = std::make_shared<Leaf>();
    return std::pair(P, P);
  });
  shape("weak_ptr and shared_ptr", kByGrowth, [] {
    auto P = std::make_shared<std::string>(longText('w'));
    std::weak_ptr<std::string> W = P;
    return std::pair(W, P);
  });
  shape("cycle of shared_ptr and weak_ptr", kByGrowth, [] {
    auto A = std::make_shared<Cyclic>(), B = std::make_shared<Cyclic>();
    A->Forward = B;
    B->Back = A;
    return A;
  });
  shape("owner", kByGrowth, [] {
    Owner O;
    O.Own = std::make_unique<Leaf>();
    O.Name = longText('n');
    O.Names.assign(3, longText('o'));
    return O;
  });
}

static void containers() {
  shape("map", kByGrowth, [] {
    std::map<int, std::string> M;
    for (int I = 0; I < 20; ++I)
      M[I] = longText('m');
    return M;
  });
  shape("map of vectors", kByGrowth, [] {
    std::map<std::string, std::vector<Leaf>> M;
    for (int I = 0; I < 10; ++I)
      M[longText(char('a' + I))].resize(7);
    return M;
  });
  shape("empty map", 0, [] { return 1; });
  shape("set", kByGrowth, [] { return std::set<long>{1, 2, 3, 4, 5}; });
  shape("multimap", kByGrowth, [] {
    return std::multimap<int, std::string>{{1, longText('a')},
                                           {1, longText('b')}};
  });
  shape("unordered_map", kByGrowth, [] {
    std::unordered_map<std::string, std::unique_ptr<Leaf>> M;
    for (int I = 0; I < 50; ++I)
      M[std::to_string(I)] = std::make_unique<Leaf>();
    return M;
  });
  shape("unordered_set", kByGrowth, [] {
    std::unordered_set<int> S;
    for (int I = 0; I < 50; ++I)
      S.insert(I);
    return S;
  });
  shape("list", kByGrowth, [] {
    return std::list<std::string>(12, longText('l'));
  });
  shape("forward_list", kByGrowth, [] {
    return std::forward_list<std::string>(12, longText('f'));
  });
  shape("deque", kByGrowth, [] {
    std::deque<std::string> D;
    for (int I = 0; I < 60; ++I) {
      D.push_back(longText('b'));
      D.push_front(longText('f'));
    }
    return D;
  });
  shape("deque of ints", kByGrowth, [] { return std::deque<int>(5000, 1); });
  shape("queue and stack", kByGrowth, [] {
    std::queue<std::string> Q;
    std::stack<int> S;
    for (int I = 0; I < 9; ++I) {
      Q.push(longText('q'));
      S.push(I);
    }
    return std::pair(std::move(Q), std::move(S));
  });
}

/// What one container holds is the same in another.
static void nested() {
  shape("map of maps", kByGrowth, [] {
    std::map<int, std::map<int, int>> M;
    for (int I = 0; I < 1000; ++I)
      M[0][I] = I;
    return M;
  });
  shape("list of lists", kByGrowth, [] {
    std::list<std::list<int>> L;
    L.emplace_back(1000);
    return L;
  });
  shape("hash table of hash tables", kByGrowth, [] {
    std::unordered_map<int, std::unordered_map<int, int>> M;
    for (int I = 0; I < 100; ++I)
      M[0][I] = I;
    return M;
  });
  shape("map of a class with a list", kByGrowth, [] {
    struct WithList {
      std::list<int> L;
    };
    std::map<int, WithList> M;
    M[0].L.resize(100);
    return M;
  });
  shape("forward_list of deques", kByGrowth, [] {
    std::forward_list<std::deque<int>> L;
    L.emplace_front(3000);
    return L;
  });
  shape("set of pointers", kByGrowth,
        [] { return std::set<Leaf *>{new Leaf, new Leaf}; });
  shape("list of pointers", kByGrowth,
        [] { return std::list<Leaf *>{new Leaf, new Leaf}; });
  shape("make_shared of a map", kByGrowth, [] {
    auto P = std::make_shared<std::map<int, int>>();
    for (int I = 0; I < 100; ++I)
      (*P)[I] = I;
    return P;
  });
  shape("cycle in make_shared", kByGrowth, [] {
    auto A = std::make_shared<Cyclic>(), B = std::make_shared<Cyclic>();
    A->Forward = B;
    B->Forward = A;
    return A;
  });
  static const std::string Text = longText('t');
  shape("map of string_view", kByGrowth, [] {
    return std::map<int, std::string_view>{{1, Text}};
  });
  static const auto Kept = std::make_shared<Owner>();
  // The block, but nothing that is in it.
  const uint64_t Block = inmem::deepSize(std::weak_ptr<Owner>(Kept)) -
                         sizeof(std::weak_ptr<Owner>);
  std::list<std::weak_ptr<Owner>> Weak{Kept};
  const uint64_t Node = 4 * sizeof(void *);
  if (inmem::deepSize(Weak) != sizeof Weak + Node + Block) {
    ++Failures;
    std::printf("list of weak_ptr: %llu\n",
                (unsigned long long)inmem::deepSize(Weak));
  }
}

static void alternatives() {
  shape("optional with a value", kByGrowth, [] {
    return std::optional<std::string>(longText('o'));
  });
  shape("optional without", 0, [] {
    std::optional<std::string> O = longText('o');
    O.reset();
    return O;
  });
  shape("variant: string", kByGrowth, [] {
    return std::variant<int, std::string, std::vector<int>>(longText('v'));
  });
  shape("variant: vector", 4 * 12, [] {
    return std::variant<int, std::string, std::vector<int>>(
        std::vector<int>(12));
  });
  shape("variant: pointer", 8, [] {
    return std::variant<int, Leaf *>(new Leaf);
  });
  shape("variant: map", kByGrowth, [] {
    std::map<int, int> M;
    for (int I = 0; I < 100; ++I)
      M[I] = I;
    return std::variant<std::string, std::map<int, int>>(std::move(M));
  });
  shape("variant: list", kByGrowth, [] {
    return std::variant<std::string, std::list<int>>(std::list<int>(9));
  });
  static const std::string Text = longText('t');
  shape("variant: string_view", 0, [] {
    return std::variant<std::string, std::string_view>(
        std::string_view(Text));
  });
  shape("variant: what was there before", 0, [] {
    std::variant<std::string, Leaf *, int> V = new Leaf;
    delete std::get<1>(V);
    V = 1;
    return V;
  });
  shape("any: in a block", kByGrowth,
        [] { return std::any(longText('a')); });
  shape("any: inside", 0, [] { return std::any(7); });
  shape("function: in a block", kByGrowth, [] {
    return std::function<size_t()>(
        [S = longText('f'), N = longText('g')] { return S.size() + N.size(); });
  });
  shape("function: inside", 8, [] {
    auto *L = new Leaf;
    return std::function<long()>([L] { return L->Value; });
  });
  shape("lambda", kByGrowth, [] {
    return [S = longText('l')] { return S.size(); };
  });
  shape("tuple", kByGrowth, [] {
    return std::tuple<int, std::string, std::unique_ptr<Leaf>>(
        1, longText('t'), std::make_unique<Leaf>());
  });
}

static void classes() {
  shape("polymorphic by its base", kByGrowth, [] {
    return std::unique_ptr<Base>(new Derived);
  });
  shape("second base", kByGrowth,
        [] { return std::unique_ptr<Base>(new Many); });
  shape("virtual base", kByGrowth,
        [] { return std::unique_ptr<Base>(new Diamond); });
}

static void words() {
  shape("flexible array", 8 + 4 * 8 + 4 * 8, [] {
    auto *F = (Flexible *)std::malloc(sizeof(Flexible) + 4 * sizeof(Leaf *));
    F->Count = 4;
    for (int I = 0; I < 4; ++I)
      F->Leaves[I] = new Leaf;
    return F;
  });
  shape("union", 8, [] {
    Either E;
    E.Pointer = new Leaf;
    return E;
  });
  shape("tagged pointer", 8, [] {
    return Tagged{(uintptr_t)new Leaf | 5};
  });
  shape("void *", 80, [] { return (void *)new Leaf[10]; });
  shape("bit-fields", 8, [] {
    Bits B{};
    B.L = new Leaf;
    return B;
  });
  shape("reference", 8, [] { return Referring{*new Leaf}; });
  shape("atomic pointer", 8, [] {
    struct Held {
      std::atomic<Leaf *> P;
      Held() : P(new Leaf) {}
      Held(const Held &O) : P(O.P.load()) {}
    };
    return Held();
  });
  shape("tree", 7 * sizeof(Tree<long>), [] {
    using T = Tree<long>;
    auto Make = [](auto Self, int Depth) -> std::unique_ptr<T> {
      if (!Depth)
        return nullptr;
      return std::unique_ptr<T>(
          new T{Depth, Self(Self, Depth - 1), Self(Self, Depth - 1)});
    };
    return Make(Make, 3);
  });
  shape("array of arrays of pointers", 6 * 8, [] {
    struct Grid {
      Leaf *Cells[2][3];
    } G;
    for (auto &Row : G.Cells)
      for (auto *&Cell : Row)
        Cell = new Leaf;
    return G;
  });
}

int main() {
  scalarsAndPointers();
  vectors();
  smartPointers();
  containers();
  nested();
  alternatives();
  classes();
  words();
  std::printf("%d shapes, %d wrong\n", Shapes, Failures);
  return Failures != 0;
}
