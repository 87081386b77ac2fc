// Intent: the frame of a library's coroutine is of the line of the program that called it, also if an operator new of the library's, inlined into the
// coroutine, requests more than the frame. Its allocations after it is resumed belong to the line that resumed it, if no jump can be in between, and if
// the compiler tells the resumed part from the first (LLVM 20).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: rm -rf %t && %split-file %s %t
// DEFINE: %{level} = -O0
// DEFINE: %{lines} = %inmem-clangxx -std=c++20 %{level} -isystem %t %t/main.cpp -o %t/exe && rm -f %t/inmem && env INMEM_OPTIONS=output=%t/inmem %t/exe && \
// DEFINE:   %inmem report %t/inmem --format json > %t/json && %python %S/Inputs/lines.py %t/json main.cpp --types | %FileCheck %t/main.cpp --check-prefixes
// RUN: %if llvm-22 %{ %{lines} CHECK,RESUMED %} %else %{ %{lines} CHECK %}
// REDEFINE: %{level} = -O2
// RUN: %{lines} CHECK

//--- kit.h
#include <coroutine>
#include <cstdlib>
namespace kit {
inline void *volatile Kept;
struct task {
  struct promise_type {
    static void *operator new(std::size_t Bytes) {
      void *P = std::malloc(Bytes + 1);
      static_cast<char *>(P)[Bytes] = 1;
      return P;
    }
    static void operator delete(void *P) { std::free(P); }
    task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::abort(); }
  };
  std::coroutine_handle<promise_type> Handle;
  void go() { Handle.resume(); }
  ~task() { Handle.destroy(); }
};
[[gnu::noinline]] inline task work(int N) {
  for (int I = 0; I < N; ++I) {
    auto *P = new long(I);
    Kept = P;
    delete P;
    co_await std::suspend_always();
  }
}
} // namespace kit
//--- main.cpp
#include <kit.h>
// CHECK: whole
int main() {
  for (int I = 0; I < 5; ++I) {
    // CHECK-NEXT: line [[#@LINE+1]]: 5 coroutine frame of kit::work(int)
    kit::task T = kit::work(2);
    // RESUMED-NEXT: line [[#@LINE+1]]: 5 long
    T.go();
    // RESUMED-NEXT: line [[#@LINE+1]]: 5 long
    T.go();
  }
}
