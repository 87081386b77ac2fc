// Intent: scopes of one thread do not see others, a scope of a given thread is read from another one, a scope of
// all threads sees all; a scope used from the wrong thread says so.

// RUN: %inmem-clangxx -I %include -std=c++17 -O0 -pthread %s -o %t.O0
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.O0 2>&1 | %FileCheck %s
// RUN: %inmem-clangxx -I %include -std=c++17 -O2 -pthread %s -o %t.O2
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.O2 2>&1 | %FileCheck %s
// CHECK-NOT: failed
// CHECK: an allocation scope of thread [[OWNER:[0-9]+]] was read by thread {{[0-9]+}}
// CHECK: inmem: an allocation scope of thread {{[0-9]+}} was destroyed by thread [[OWNER]]
// CHECK: done

#include "Inputs/check.h"
#include <atomic>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

struct Job {
  char bytes[100];
};

static void allocate(int Count) {
  for (int I = 0; I < Count; ++I) {
    std::vector<Job> Jobs(1);
    inmem::detail::hide(Jobs.data());
  }
}

// Many tests at once, each in a thread of its own, none sees another.
static void testParallel() {
  std::vector<std::thread> Threads;
  std::atomic<int> Wrong{0};
  for (int T = 0; T < 8; ++T)
    Threads.emplace_back([&, T] {
      for (int Round = 0; Round < 50; ++Round) {
        inmem::AllocationScope Scope(T % 2 ? inmem::Follow::EachBlock
                                           : inmem::Follow::Nothing);
        allocate(T + 1);
        Wrong += Scope.blocks() != T + 1u;
        Wrong += Scope.bytes() != (T + 1) * sizeof(Job);
        Wrong += Scope.end().of<Job>().live != 0;
      }
    });
  for (std::thread &T : Threads)
    T.join();
  CHECK(Wrong == 0);
}

// The counter of a thread, read from another one while it runs.
static void testOtherThread() {
  std::atomic<int> Stage{0};
  auto Await = [&](int Wanted) {
    while (Stage != Wanted)
      std::this_thread::yield();
  };
  std::thread Worker([&] {
    Await(1);
    allocate(5);
    Stage = 2;
    Await(3);
    allocate(2);
    Stage = 4;
    Await(5);
  });
  auto Scope = inmem::AllocationScope::ofThread(Worker.native_handle());
  CHECK(Scope.exact() && Scope.blocks() == 0);
  Stage = 1;
  Await(2);
  allocate(3); // ours
  CHECK(Scope.blocks() == 5 && Scope.bytes() == 5 * sizeof(Job));
  Stage = 3;
  Await(4);
  CHECK(Scope.blocks() == 7 && Scope.allocations().of<Job>().frees == 7);
  Stage = 5;
  Worker.join();
  CHECK(Scope.blocks() == 7);
}

static void testAllThreads() {
  auto All = inmem::AllocationScope::ofAllThreads();
  inmem::AllocationScope Own;
  {
    std::thread One(allocate, 4), Two(allocate, 6);
    One.join();
    Two.join();
  }
  allocate(1);
  inmem::Allocations A = All.end();
  CHECK(A.of<Job>().blocks == 11 && A.of<Job>().live == 0);
  CHECK(Own.allocations().of<Job>().blocks == 1);
}

static void testWrongThread() {
  inmem::AllocationScope Scope;
  std::thread([&] {
    try {
      Scope.blocks();
      CHECK(!"reached");
    } catch (const std::logic_error &E) {
      std::fprintf(stderr, "%s\n", E.what());
    }
  }).join();
  CHECK(Scope.blocks() >= 1); // still in use here

  // Given up by another thread, it ends, and its memory serves the next.
  std::optional<inmem::AllocationScope> Left;
  std::atomic<bool> Gone{false};
  std::atomic<int> Opened{0};
  std::thread Opener([&] {
    Left.emplace(inmem::Follow::EachBlock);
    Opened = 1;
    while (!Gone)
      std::this_thread::yield();
    allocate(2);
    inmem::AllocationScope Next;
    allocate(2);
    CHECK(Next.blocks() == 2);
  });
  while (!Opened)
    std::this_thread::yield();
  Left.reset();
  Gone = true;
  Opener.join();
}

int main() {
  testParallel();
  testOtherThread();
  testAllThreads();
  testWrongThread();
  std::fprintf(stderr, "done\n");
  return finish();
}
