// Intent: a site whose type cannot be told names no rule by which it was: a coroutine of a template, without the AST half.
// RUN: %clangxx -std=c++20 -O0 -fpass-plugin=%irplugin -S -emit-llvm %s -o - | %FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kind 10, rule 1 where the name says all.
// CHECK-DAG: @__inmem_site._Z5plaini.0 = {{.*}}, i8 10, i8 0, i32 0, i16 0, i8 1, i8 8, i64
// CHECK-DAG: @__inmem_site._Z9templatedIiE4TaskT_.0 = {{.*}}, i8 10, i8 0, i32 0, i16 0, i8 0, i8 8, i64

#include <coroutine>

struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};
Task plain(int) { co_return; }
template <class T> Task templated(T) { co_return; }
void use() {
  plain(1);
  templated(2);
}
