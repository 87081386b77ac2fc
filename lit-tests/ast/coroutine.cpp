// Intent: a coroutine's frame is named by the coroutine, its size by the split; an
// elided frame leaves no site.
// RUN: %clangxx -O0 -std=c++20 -fplugin=%plugin -Rpass=inmem -Rpass-missed=inmem \
// RUN:   -fno-caret-diagnostics -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %clangxx -O2 -std=c++20 -fplugin=%plugin -Rpass=inmem -Rpass-missed=inmem \
// RUN:   -fno-caret-diagnostics -c %s -o %t.o 2>&1 | %FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <coroutine>

struct Task {
  struct promise_type {
    Task get_return_object();
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};
namespace jobs {
// CHECK-DAG: remark: allocates 'coroutine frame of jobs::work(int)' (coroutine)
Task work(int n) { co_await std::suspend_always(); (void)n; }
template <typename T> struct Maker {
  // CHECK-DAG: remark: allocates 'coroutine frame of jobs::Maker<char>::make()' (coroutine)
  static Task make() { co_return; }
};
template struct Maker<char>;
}
// CHECK-NOT: unknown type
