// Intent: what profiles, their views and dumps allocate is nobody's; what the program's own visitors and filters allocate is the program's.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++17 -O1 %s -o %t
// RUN: env INMEM_OPTIONS=output=%t.inmem %t
// RUN: %inmem report --format json %t.inmem -o %t.json
// RUN: %python %inputs/heap.py %t.json 'totals.allocations < 400'
#include <inmem/graph.h>
#include <inmem/scope.h>

#include <cstdio>
#include <map>
#include <memory>
#include <string>

struct Entry {
  std::string name = std::string(40, 'n');
  std::unique_ptr<Entry> next;
};

/// That no optimiser leaves out.
[[gnu::noinline]] static bool allocateOne() {
  auto One = std::make_unique<long>();
  asm volatile("" : : "r"(One.get()) : "memory");
  return One != nullptr;
}

static int Failures = 0;
template <class F> static void allocates(const char *What, std::uint64_t Blocks, F Run) {
  inmem::AllocationScope Scope;
  Run();
  Scope.stop();
  const std::uint64_t Found = Scope.allocations().blocks();
  if (!Scope.exact() || Found != Blocks) {
    ++Failures;
    std::printf("%s: %llu blocks, not %llu\n", What, (unsigned long long)Found, (unsigned long long)Blocks);
  }
}

int main() {
  std::map<int, Entry> Entries;
  for (int I = 0; I < 20; ++I)
    Entries[I].next = std::make_unique<Entry>();
  const inmem::ObjectProfile P = inmem::profile(Entries);
  if (P.count() < 60)
    return 1;
  allocates("profile", 0, [&] { inmem::profile(Entries); });
  allocates("deepSize", 0, [&] { inmem::deepSize(Entries); });
  allocates("text", 0, [&] { P.text(); });
  allocates("xml", 0, [&] { P.xml(); });
  allocates("json", 0, [&] { P.json(); });
  allocates("dot", 0, [&] { P.dot(); });
  allocates("folded", 0, [&] { P.folded(); });
  allocates("flame", 0, [&] { P.flame(); });
  allocates("countOf", 0, [&] { P.countOf("a type with a name that is no short one"); });
  allocates("filter", 0, [&] {
    P.filter(inmem::shareOfRoot(0.01) && !inmem::typeMatches("no type has a name of that kind*") || inmem::depthAtMost(2)).text();
  });
  allocates("visit", 0, [&] { P.visit([](const inmem::ObjectNode &N) { N.path(), N.type(), N.field(); }); });
  // The program's own.
  const std::uint64_t Nodes = P.count();
  std::uint64_t Visited = 0;
  P.visit([&](const inmem::ObjectNode &) { ++Visited; });
  allocates("own visitor", Visited, [&] { P.visit([](const inmem::ObjectNode &) { allocateOne(); }); });
  allocates("own filter", Nodes - 1, [&] {
    P.filter(inmem::ObjectFilter::Function([](const inmem::ObjectNode &) { return allocateOne(); }));
  });
  return Failures != 0;
}
