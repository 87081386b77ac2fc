// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program of docs/coming-from-java.md: makes each call that it names.
#include <inmem/graph.h>
#include <inmem/inmem.h>
#include <inmem/scope.h>
#include <inmem/threads.h>

#include <chrono>
#include <cstdio>
#include <map>
#include <string>
#include <thread>

using namespace std::chrono_literals;

__attribute__((noinline)) std::map<int, std::string> work() {
  std::map<int, std::string> Out;
  for (int I = 0; I < 1000; ++I)
    Out[I] = std::string(40, 'x');
  return Out;
}

int main(int Count, char **) {
  if (Count > 1) { // waits for its standard input's end
    std::puts("ready");
    std::fflush(stdout);
    std::getchar();
    return 0;
  }
  inmem::profile_start();
  inmem::ThreadWatcher Watcher({.interval = 10ms, .threshold_bytes = 1000});
  int Told = 0;
  Watcher.on_created([&](const inmem::ThreadInfo &) { ++Told; });
  Watcher.on_died([&](const inmem::ThreadInfo &) { ++Told; });
  Watcher.on_threshold([&](const inmem::ThreadEvent &) { ++Told; });
  Watcher.start();
  std::thread([] { work(); }).join();
  Watcher.stop();
  Watcher.print();
  const bool Listed = Watcher.threads().size() >= 2;
  Watcher.reset();
  inmem::AllocationScope Scope;
  const bool Exact = Scope.exact();
  const auto Map = work();
  const bool Counted = !Scope.exact() || Scope.bytes() > 40000;
  bool Limited = !Scope.exact();
  try {
    inmem::AllocationBudget Budget{.bytes = 100};
    work();
  } catch (const std::bad_alloc &) {
    Limited = true;
  }
  const bool Deep = inmem::deepSize(Map) >= inmem::shallowSize(Map);
  const inmem::ObjectProfile Tree = inmem::profileObject(Map);
  std::printf("%zu %zu\n", Tree.text().size(), Tree.xml().size());
  for (const auto End = std::chrono::steady_clock::now() + 50ms;
       std::chrono::steady_clock::now() < End;)
    work();
  inmem::profile_read();
  inmem::profile_stop();
  inmem_stop();
  inmem_start();
  inmem_flush();
  inmem_reset();
  work();
  // Options may leave allocations out.
  const bool All = Told >= 3 && Listed && Counted && Limited && Deep;
  return All || !Exact ? 0 : 1;
}
