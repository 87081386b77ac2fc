// Intent: ten thousand threads, a hundred at a time, each have their exact totals in the watcher and in the report; a watcher survives fork, exit and dlclose-like ends.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++17 -O2 -pthread %s -o %t
// RUN: %record %t.json -- %t
// RUN: %expect %t.json --in %s
// EXPECT: len([t for t in threads if t["name"] == "short"]) == 10000
// EXPECT: all(t["allocations"] == 3 and t["allocated_bytes"] == 96 and t["freed_bytes"] == 64 and t["live_bytes"] == 32 for t in threads if t["name"] == "short")
// EXPECT: sum(t["allocations"] for t in threads) == totals.allocations
// EXPECT: sum(t["freed_bytes"] for t in threads) == totals.freed_bytes
// A watcher that looks all the time never meets one that has not said yet what it runs.
// RUN: rm -f %t.lines && env INMEM_OPTIONS=output=%t.watched.inmem:watch=1ms:watch_output=%t.lines %t
// RUN: grep -c " created, runs run(void\*)$" %t.lines | grep -x 10000 && ! grep " created$" %t.lines
#include <inmem/threads.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#define REQUIRE(C)                                                             \
  ((C) ? (void)0                                                               \
       : (std::fprintf(stderr, "line %d: %s\n", __LINE__, #C), std::_Exit(1)))

static void *run(void *) {
  pthread_setname_np(pthread_self(), "short");
  for (int I = 0; I < 3; ++I) {
    void *volatile P = std::malloc(32);
    if (I > 0)
      std::free(P);
  }
  return nullptr;
}

static inmem::ThreadWatcher Global; // ends after main, while it watches

int main() {
  pthread_attr_t Small;
  pthread_attr_init(&Small);
  pthread_attr_setstacksize(&Small, 64 * 1024);
  std::atomic<int> Created{0}, Died{0};
  {
    inmem::ThreadWatcher Watcher(
        inmem::ThreadWatcherOptions{std::chrono::milliseconds(20), 0, 0});
    Watcher.on_created([&](const inmem::ThreadInfo &) { ++Created; });
    Watcher.on_died([&](const inmem::ThreadInfo &) { ++Died; });
    REQUIRE(Watcher.start());
    for (int I = 0; I < 100; ++I) {
      pthread_t Ids[100];
      for (pthread_t &Id : Ids)
        REQUIRE(pthread_create(&Id, &Small, run, nullptr) == 0);
      for (pthread_t Id : Ids)
        pthread_join(Id, nullptr);
    }
    Watcher.stop();
    REQUIRE(Created == 10000 && Died == 10000);
    size_t Exact = 0;
    for (const inmem::ThreadInfo &T : Watcher.threads())
      Exact += T.name == "short" && T.allocations == 3 &&
               T.allocated_bytes == 96 && T.freed_bytes == 64 && !T.alive;
    REQUIRE(Exact == 10000);
    // The child has no watcher, and may begin its own.
    REQUIRE(Watcher.start());
    const pid_t Child = fork();
    if (Child == 0) {
      Created = 0;
      Watcher.stop();
      REQUIRE(Watcher.start());
      pthread_t Id;
      REQUIRE(pthread_create(&Id, &Small, run, nullptr) == 0);
      pthread_join(Id, nullptr);
      Watcher.stop();
      REQUIRE(Created == 1);
      std::_Exit(42);
    }
    int Status = 0;
    REQUIRE(waitpid(Child, &Status, 0) == Child);
    REQUIRE(WIFEXITED(Status) && WEXITSTATUS(Status) == 42);
  }
  REQUIRE(Global.start());
}
