// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Coroutine frames, some of which the optimiser removes.
#include <coroutine>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

template <typename T> struct Generator {
  struct promise_type {
    T value;
    Generator get_return_object() {
      return Generator(Handle::from_promise(*this));
    }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(T next) {
      value = std::move(next);
      return {};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  using Handle = std::coroutine_handle<promise_type>;
  explicit Generator(Handle handle) : handle(handle) {}
  Generator(Generator &&other) noexcept
      : handle(std::exchange(other.handle, nullptr)) {}
  ~Generator() {
    if (handle)
      handle.destroy();
  }
  bool next() {
    handle.resume();
    return !handle.done();
  }
  Handle handle;
};

Generator<int> squares(int n) {
  for (int i = 0; i < n; ++i)
    co_yield i *i;
}
Generator<std::string> words(int n) {
  std::string prefix = "a word from a coroutine, number ";
  for (int i = 0; i < n; ++i)
    co_yield prefix + std::to_string(i);
}

int main() {
  long sum = 0;
  for (auto g = squares(100); g.next();)
    sum += g.handle.promise().value;
  std::vector<Generator<std::string>> kept;
  for (int i = 0; i < 20; ++i)
    kept.push_back(words(i));
  for (auto &generator : kept)
    while (generator.next())
      sum += generator.handle.promise().value.size();
  std::printf("%ld\n", sum);
}
