// Intent: a coroutine's frame is named by the coroutine.
// RUN: %table %s
// MODES: c++20 c++23
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <coroutine>

struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};
struct Worker {
  int state[9] = {};
  __attribute__((noinline)) Task work(int n) { state[n] = n; co_return; }
};
template <typename T> __attribute__((noinline)) Task generic(T value) { volatile T kept = value; (void)kept; co_return; }
static Task *volatile Sink;
__attribute__((noinline)) void run(Task task) {
  Sink = &task;
  task.handle.resume();
  task.handle.destroy();
}
int main() {
  Worker worker;
  run(worker.work(3));
  run(worker.work(4));
  run(generic(1.5));
}
// EXPECT: types["coroutine frame of Worker::work(int)"].allocations == 2
// EXPECT: types["coroutine frame of Worker::work(int)"].sites[0].kind == "coroutine"
// EXPECT: types["coroutine frame of generic<double>(double)"].allocations == 1
// EXPECT: not untyped
// ALONE: types["coroutine frame of Worker::work(int)"].allocations == 2
