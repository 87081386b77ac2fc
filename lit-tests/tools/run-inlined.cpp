// Intent: of a program without instrumentation, a site where the library's code was inlined has the line of the program that it was inlined into.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DEFINE: %{sites} = --in %s --prefix SITES
// SITES: sorted((s.caller.function, s.caller.line, s.allocations) for t in report.types for s in t.sites if s.function == "main" and not s.caller.file.startswith("/usr/")) == [("first()", 28, 7), ("main", 40, 1), ("main", 42, 2)]
// RUN: %clangxx -O2 -g %s -o %t
// RUN: %inmem run -q --trace %t.inmem -- %t
// RUN: %inmem report --format json %t.inmem > %t.json
// RUN: %expect %t.json %{sites}
// A column gives way to a path that is long.
// RUN: env COLUMNS=1000 %inmem report --by site %t.inmem | %FileCheck %s
// CHECK: SITES
// CHECK: {{first.*run-inlined.cpp:28.*main}}
// CHECK: {{main.*run-inlined.cpp:40}}
// The trace has the lines itself with stacks, for when the program is gone.
// RUN: cp %t %t.gone && %inmem run -q --options stacks=16 --trace %t.stacks.inmem -- %t.gone && rm %t.gone
// RUN: %inmem report --format json %t.stacks.inmem > %t.stacks.json
// RUN: %expect %t.stacks.json %{sites}
// Without debug information it is the function that the linker knows, once.
// RUN: cp %t %t.bare && strip -g %t.bare && %inmem run -q --trace %t.bare.inmem -- %t.bare
// RUN: %inmem report --format json %t.bare.inmem > %t.bare.json
// RUN: %expect %t.bare.json '[(s.function, s.get("caller"), s.allocations) for t in report.types for s in t.sites if s.module.endswith(".bare")] == [("main", None, 10)]'

#include <memory>

static void *volatile Sink;

static inline __attribute__((always_inline)) void first() {
  Sink = std::allocator<int>().allocate(10);
}

int main(int argc, char **) {
  for (int i = 0; i < 4 * argc; ++i) {
    first();
    asm volatile("");
  }
  for (int i = 0; i < 3 * argc; ++i) {
    first();
    asm volatile("" ::: "memory");
  }
  Sink = std::allocator<long>().allocate(20);
  for (int i = 0; i < 2 * argc; ++i)
    Sink = std::allocator<long>().allocate(30);
}
