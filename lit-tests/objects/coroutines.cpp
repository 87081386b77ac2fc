// Intent: a coroutine's promise, parameters and locals are objects in its frame, on the heap.
// RUN: %count-objects %s %t
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <coroutine>

struct L { L() {} L(int) {} L(const L &) {} L(L &&) noexcept {} ~L() {} };
struct Task {
  struct promise_type {
    promise_type() {}
    ~promise_type() {}
    Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  explicit Task(std::coroutine_handle<promise_type> h) : handle(h) {}
  Task(const Task &) = delete;
  ~Task() { handle.destroy(); }
  std::coroutine_handle<promise_type> handle;
};

Task count(L parameter) {
  L local;
  co_await std::suspend_always();
  L second(1);
}

// Each call: the argument on the caller's stack and its move into the frame, a local, and
// in the one that is resumed the second local too.
// OBJECTS L: stack=2 heap=5 defaulted=2 converted=3 moved=2 destroyed=7
// OBJECTS Task: stack=2 converted=2 destroyed=2
// OBJECTS Task::promise_type: heap=2 defaulted=2 destroyed=2

int main() {
  Task a = count(L(1));
  a.handle.resume();
  a.handle.resume();
  Task b = count(2);
  b.handle.resume();
}
