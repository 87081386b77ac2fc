// REQUIRES: boost-context
// Intent: blocks are counted on stacks of any kind: makecontext, boost::context and coroutines, also
// when a fiber goes on in another thread; with call stacks as well.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 -std=c++20 -pthread %s -lboost_context -o %t.exe
// RUN: %record %t.json -- %t.exe
// RUN: %expect %t.json '(types["OfContext"].allocations, types["OfContext"].frees) == (100, 90)' \
// RUN:   '(types["OfBoost"].allocations, types["OfBoost"].frees) == (100, 90)' '(types["OfCoroutine"].allocations, types["OfCoroutine"].frees) == (100, 90)'
// RUN: %record %t.json stacks=16 -- %t.exe
// RUN: %expect %t.json '(types["OfContext"].allocations, types["OfBoost"].allocations, types["OfCoroutine"].allocations) == (100, 100, 100)'

#include <boost/context/fiber.hpp>
#include <coroutine>
#include <thread>
#include <ucontext.h>
#include <utility>

struct OfContext {
  long a[2];
};
struct OfBoost {
  long a[3];
};
struct OfCoroutine {
  long a[4];
};

template <class T> static void step(int i) {
  static T *kept[10];
  T *one = new T;
  std::swap(one, kept[i % 10]);
  delete one;
}

static ucontext_t Main, Fiber;
static void runContext() {
  for (int i = 0; i < 100; ++i) {
    step<OfContext>(i);
    swapcontext(&Fiber, &Main);
  }
}

struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};
static Task runCoroutine() {
  for (int i = 0; i < 100; ++i) {
    step<OfCoroutine>(i);
    co_await std::suspend_always{};
  }
}

int main() {
  static char stack[1 << 16];
  getcontext(&Fiber);
  Fiber.uc_stack.ss_sp = stack;
  Fiber.uc_stack.ss_size = sizeof stack;
  Fiber.uc_link = &Main;
  makecontext(&Fiber, runContext, 0);
  namespace context = boost::context;
  context::fiber fiber([](context::fiber &&back) {
    for (int i = 0; i < 100; ++i) {
      step<OfBoost>(i);
      back = std::move(back).resume();
    }
    return std::move(back);
  });
  Task task = runCoroutine();
  for (int i = 0; i < 50; ++i) {
    swapcontext(&Main, &Fiber);
    fiber = std::move(fiber).resume();
    task.handle.resume();
  }
  // The second half on other threads.
  for (int i = 0; i < 50; ++i) {
    swapcontext(&Main, &Fiber);
    std::thread([&] {
      fiber = std::move(fiber).resume();
      task.handle.resume();
    }).join();
  }
  fiber = std::move(fiber).resume();
  task.handle.destroy();
}
