// Intent: a profile's tree: paths, shortest ways, shells, sharing, order, visitors, filters, dumps, limits, garbage.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++17 -g %s -o %t
// RUN: env INMEM_OPTIONS=output=%t.inmem %t %t.xml %t.json %t.dot
// RUN: %python -c "import sys, xml.etree.ElementTree as x; x.parse(sys.argv[1])" %t.xml
// RUN: %python -c "import sys, json; d = json.load(open(sys.argv[1])); assert d['size'] == sum(c['size'] for c in d['children']), d" %t.json
#include <inmem/graph.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <thread>
#include <vector>

#define CHECK(Condition)                                                       \
  ((Condition) ? (void)0                                                       \
               : (std::printf("line %d: %s\n", __LINE__, #Condition),          \
                  (void)++Failures))
static int Failures = 0;

struct Item {
  std::string name = std::string(40, 'n');
  Item *other = nullptr;
};
struct Cache {
  std::vector<std::pair<int, std::shared_ptr<Item>>> entries;
  std::map<std::string, Item *> byName;
};
struct Server {
  Cache cache;
  Item *first = nullptr;
  std::string_view view;
};
struct Link {
  Link *next = nullptr;
};
struct Global {
  std::string text = std::string(64, 'g');
};
static Global TheGlobal;
struct Points {
  Global *to;
};

static inmem::ObjectNode find(const inmem::ObjectProfile &P,
                              const std::string &Path, bool &Found) {
  inmem::ObjectNode Result = P.root();
  Found = false;
  P.visit([&](const inmem::ObjectNode &N) {
    if (!N.isShell() && N.path() == Path) {
      Found = true;
      Result = N;
    }
  });
  return Result;
}

static void checkTree(char **Files) {
  Server S;
  for (int I = 0; I < 5; ++I)
    S.cache.entries.emplace_back(I, std::make_shared<Item>());
  S.first = S.cache.entries[2].second.get();
  S.cache.entries[4].second->other = new Item;
  S.cache.byName["the third of all the items that there are"] = S.first;
  S.view = S.first->name;
  inmem::ObjectProfile P = inmem::profile(S);
  CHECK(P.size() == inmem::deepSize(S));
  CHECK(inmem::shallowSize(S) == sizeof S);
  CHECK(P.root().type() == "Server" && P.root().shell() == sizeof S);
  CHECK(P.root().shell().isShell() && P.root().parent().isRoot());

  bool Found;
  inmem::ObjectNode Name = find(P, "root.cache.entries[3].second->name", Found);
  CHECK(Found && Name.size() == 41 && Name.field() == "name");
  CHECK(Name.age() && Name.age()->count() >= 0 && Name.isOnHeap());
  CHECK(Name.parent().path() == "root.cache.entries[3].second");
  // The shortest way: not through the vector.
  inmem::ObjectNode Third = find(P, "root.first", Found);
  CHECK(Found && Third.refcount() == 3);
  find(P, "root.cache.entries[2].second", Found);
  CHECK(!Found);
  find(P, "root.cache.entries[4].second->other->name", Found);
  CHECK(Found);
  inmem::ObjectNode Key = find(P, "root.cache.byName[0].first", Found);
  CHECK(Found && Key.type() == "char [42]");
  inmem::ObjectNode View = find(P, "root.view", Found);
  CHECK(Found && View.size() == 0 && !View.isOwned());

  // Children in order, and sums.
  std::size_t Nodes = 0, Posts = 0;
  P.visit(
      [&](const inmem::ObjectNode &N) {
        Nodes += !N.isShell();
        std::uint64_t Sum = 0, Last = UINT64_MAX;
        for (const inmem::ObjectNode &C : N.children()) {
          CHECK(C.size() <= Last);
          Last = C.size();
          Sum += C.size();
        }
        CHECK(N.children().empty() || Sum == N.size());
      },
      [&](const inmem::ObjectNode &N) { Posts += !N.isShell(); });
  CHECK(Nodes == P.count() && Posts == Nodes);

  using namespace inmem;
  CHECK(P.filter(typeMatches("char*")).count() == 2); // what is below others is hidden
  CHECK(P.filter(depthAtMost(1)).count() == P.root().children().size());
  CHECK(P.filter(sizeAtLeast(1) && !shareOfRoot(2)).count() <= P.count());
  CHECK(P.filter(shareOfParent(2) || sizeAtLeast(1 << 30)).count() == 1);
  CHECK(P.countOf("Item") == 6);
  CHECK(P.text().find("refcount=3") != std::string::npos);
  std::ofstream(Files[1]) << P.xml();
  std::ofstream(Files[2]) << P.json();
  std::ofstream(Files[3]) << P.dot();
  CHECK(P.folded().find("root;first;name 41\n") != std::string::npos);
  CHECK(P.flame().find("<svg") == 0);

}

static void checkElsewhere() {
  // Globals have the size of their type.
  using namespace inmem;
  Points G{&TheGlobal};
  CHECK(deepSize(G) == sizeof G + sizeof TheGlobal + 65);
  CHECK(profile(G).text().find("static") != std::string::npos);

}

template <class Word> static void checkRaw(const char *Of) {
  struct Raw {
    alignas(8) Word room[16 / sizeof(Word)] = {};
  };
  using namespace inmem;
  auto *Inside = new Link;
  Raw R;
  new (R.room) Link *(Inside);
  if (deepSize(R) != sizeof R + sizeof *Inside)
    std::printf("%s: %llu\n", Of, (unsigned long long)deepSize(R)), ++Failures;
  delete Inside;
}

static void checkUnusual() {
  // What an array of bytes or of words holds may be pointers.
  checkRaw<char>("char");
  checkRaw<unsigned char>("unsigned char");
  checkRaw<std::byte>("std::byte");
  checkRaw<unsigned long>("unsigned long");
  // A root that is the first of several in a block leads to the block that it is part of.
  using namespace inmem;
  auto *Row = new Link[8];
  Row[0].next = Row + 5;
  CHECK(deepSize(Row[0]) == 8 * sizeof *Row);
  delete[] Row;
}

static void checkLimits() {
  // A million nodes, one below the other, on a small stack and in bounded time.
  using namespace inmem;
  Link *Chain = nullptr;
  for (int I = 0; I < 1000000; ++I)
    Chain = new Link{Chain};
  auto Start = std::chrono::steady_clock::now();
  CHECK(deepSize(Chain) == 8 + 8000000);
  std::chrono::duration<double> Took = std::chrono::steady_clock::now() - Start;
  std::printf("1,000,000 nodes: %.3f s\n", Took.count());
  CHECK(profile(Chain, {1000}).truncated());

  // Garbage, freed memory, guard pages.
  auto *Page = static_cast<char *>(mmap(nullptr, 8192, PROT_NONE,
                                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  Link *Freed = new Link;
  delete Freed;
  for (Link *Bad : {(Link *)1, (Link *)~0ul, (Link *)0x4141414141414141,
                    (Link *)Page, (Link *)(Page + 8190), Freed,
                    (Link *)0x7fffffffffff}) {
    Link L{Bad};
    CHECK(deepSize(L) == sizeof L);
  }

}

static void checkChanges() {
  // Another thread changes the graph meanwhile.
  std::atomic<bool> Stop{false};
  std::vector<std::vector<std::string>> Changing(50);
  std::thread Changer([&] {
    for (unsigned I = 0; !Stop; ++I) {
      auto &V = Changing[I % 50];
      V.assign(I % 977, std::string(I % 70, 'x'));
      if (I % 3 == 0)
        std::vector<std::string>().swap(V);
    }
  });
  for (int I = 0; I < 200; ++I)
    inmem::deepSize(Changing);
  Stop = true;
  Changer.join();
}

int main(int, char **Files) {
  checkTree(Files);
  checkElsewhere();
  checkUnusual();
  checkLimits();
  checkChanges();
  return Failures != 0;
}
