// Intent: scopes of one thread do not see others, a scope of a given thread is read from another one, a scope of
// all threads sees all, followed or counted; budgets likewise; a scope used from the wrong thread says so.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %if all-tiers %{ %inmem-clangxx -std=c++17 -O0 -pthread %s -o %t.O0 %}
// RUN: %if all-tiers %{ env INMEM_OPTIONS=output=%t.inmem %t.O0 2>&1 | %FileCheck %s %}
// RUN: %inmem-clangxx -std=c++17 -O2 -pthread %s -o %t.O2
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.O2 2>&1 | %FileCheck %s
// RUN: %if all-tiers %{ env INMEM_OPTIONS=stacks=8:output=%t.inmem %t.O2 2>&1 | %FileCheck %s %}
// RUN: env INMEM_OPTIONS=mode=trace:output=%t.inmem %t.O2 2>&1 | %FileCheck %s
// CHECK-NOT: failed
// CHECK: an allocation scope of thread [[OWNER:[0-9]+]] was read by thread {{[0-9]+}}
// CHECK: inmem: an allocation scope of thread {{[0-9]+}} was destroyed by thread [[OWNER]]
// CHECK: done

#include "Inputs/check.h"
#include <atomic>
#include <memory>
#include <optional>
#include <string>
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

// All threads' blocks followed: what is left over, whoever made and freed it.
static void testObserveAll() {
  auto All = inmem::AllocationScope::ofAllThreads(inmem::Follow::EachBlock);
  CHECK(All.exact());
  std::vector<std::unique_ptr<Job>> Handed(8);
  std::unique_ptr<Job> Kept;
  inmem::detail::hide(&Kept);
  {
    std::vector<std::thread> Threads;
    for (int T = 0; T < 8; ++T)
      Threads.emplace_back([&, T] {
        for (int Round = 0; Round < 200; ++Round)
          allocate(1);
        Handed[T].reset(new Job);
        if (T == 3)
          Kept.reset(new Job);
      });
    for (int Reads = 0; Reads < 100; ++Reads)
      All.allocations(); // while they run
    for (std::thread &T : Threads)
      T.join();
  }
  Handed.clear(); // freed here, made there
  inmem::Allocations A = All.end();
  inmem::Counts Jobs = A.of<Job>();
  CHECK(Jobs.blocks == 8 * 200 + 9);
  CHECK(Jobs.frees == 8 * 200 + 8 && Jobs.lives == 8 * 200 + 8);
  CHECK(Jobs.live == 1 && Jobs.liveBytes == sizeof(Job));
  CHECK(Jobs.peakBytes >= 9 * (int)sizeof(Job));
  CHECK(A.text().find("Job") != std::string::npos);
  Kept.reset();
  CHECK(All.allocations().of<Job>().live == 1); // the scope has ended
}

// One other thread observed: its own blocks, whoever frees them.
static void testObserveOne() {
  std::atomic<int> Stage{0};
  auto Await = [&](int Wanted) {
    while (Stage != Wanted)
      std::this_thread::yield();
  };
  std::unique_ptr<Job> Handed;
  std::thread Worker([&] {
    Await(1);
    allocate(3);
    Handed.reset(new Job);
    Stage = 2;
    Await(3);
  });
  auto Scope = inmem::AllocationScope::ofThread(Worker.native_handle(),
                                                inmem::Follow::EachBlock);
  Stage = 1;
  Await(2);
  allocate(5); // ours
  CHECK(Scope.allocations().of<Job>().blocks == 4);
  CHECK(Scope.allocations().of<Job>().live == 1);
  Handed.reset();
  CHECK(Scope.allocations().of<Job>().live == 0);
  CHECK(Scope.allocations().of<Job>().frees == 3); // by the thread itself
  Stage = 3;
  const pthread_t Id = Worker.native_handle();
  Worker.join();
  // A later thread on the same stack is another one.
  bool Same = false;
  for (int I = 0; I < 8 && !Same; ++I) {
    std::thread Later(allocate, 2);
    Same = pthread_equal(Id, Later.native_handle());
    Later.join();
  }
  CHECK(Same);
  CHECK(Scope.allocations().of<Job>().blocks == 4);
}

static bool allocatesOrThrows() {
  try {
    Job *J = new Job;
    inmem::detail::hide(J);
    delete J;
  } catch (const inmem::budget_exceeded &) {
    return false;
  }
  return true;
}

static void testBudgets() {
  // Of all: the blocks of all threads are added up.
  std::atomic<int> Refused{0}, Made{0};
  {
    inmem::AllocationBudget Budget{1 << 30, inmem::noLimit,
                                   {inmem::limit<Job>(100)},
                                   inmem::OnExcess::Throw, inmem::allThreads};
    CHECK(Budget.enforced());
    std::vector<std::thread> Threads;
    for (int T = 0; T < 4; ++T)
      Threads.emplace_back([&] {
        for (int I = 0; I < 50; ++I)
          ++(allocatesOrThrows() ? Made : Refused);
      });
    for (std::thread &T : Threads)
      T.join();
    CHECK(Budget.excesses() == 100);
  }
  CHECK(Made == 100 && Refused == 100);
  CHECK(allocatesOrThrows());

  // Nobody catches there: reported here.
  inmem::AllocationBudget Quiet{inmem::noLimit, inmem::noLimit,
                                {inmem::limit<Job>(0)},
                                inmem::OnExcess::Throw, inmem::allThreads};
  std::thread(allocate, 2).join();
  bool Threw = false;
  try {
    Quiet.check();
  } catch (const inmem::budget_exceeded &E) {
    Threw = std::string(E.what()).find("none is allowed of type Job") !=
            std::string::npos;
  }
  CHECK(Threw && Quiet.excesses() == 2);

  // Of another thread, with a callback on it.
  std::atomic<int> Stage{0}, Calls{0};
  std::thread Worker([&] {
    while (Stage != 1)
      std::this_thread::yield();
    allocate(3);
  });
  pthread_t Id = Worker.native_handle(), Seen{};
  {
    inmem::AllocationBudget Of{
        inmem::noLimit, inmem::noLimit, {inmem::limit<Job>(1)},
        [&](const inmem::Excess &) { ++Calls, Seen = pthread_self(); },
        inmem::oneThread(Id)};
    allocate(4); // ours
    Stage = 1;
    Worker.join();
    CHECK(Of.excesses() == 2);
  }
  CHECK(Calls == 2 && pthread_equal(Seen, Id));
}

int main() {
  testParallel();
  testObserveAll();
  testObserveOne();
  testBudgets();
  testOtherThread();
  testAllThreads();
  testWrongThread();
  std::fprintf(stderr, "done\n");
  return finish();
}
