// Intent: buffers of strings and vectors of std::pmr have the container's name without optimisation, too.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++17 -O0 %s -o %t.0 && env INMEM_OPTIONS=output=%t.0.inmem %t.0
// RUN: %inmem report --full %t.0.inmem | %FileCheck %s
// RUN: %inmem-clangxx -std=c++17 -O2 %s -o %t.2 && env INMEM_OPTIONS=output=%t.2.inmem %t.2
// RUN: %inmem report --full %t.2.inmem | %FileCheck %s
// CHECK: TYPES
// CHECK-DAG: {{^ *std::pmr::string buffer .* 20 }}
// CHECK-DAG: {{^ *std::pmr::vector<int> buffer .* 10 }}
// CHECK-DAG: {{^ *std::(pmr::)?list<int> node .* 10 }}
// CHECK: DETAILS

#include <list>
#include <memory_resource>
#include <string>
#include <vector>

static void *volatile Sink;

int main() {
  for (int i = 0; i < 10; ++i) {
    std::pmr::string text("a string that is longer than the small buffer", std::pmr::new_delete_resource());
    text += " and grows beyond it";
    Sink = text.data();
    std::pmr::vector<int> numbers({1, 2, 3}, std::pmr::new_delete_resource());
    Sink = numbers.data();
    std::pmr::list<int> list({1}, std::pmr::new_delete_resource());
    Sink = &list.front();
  }
}
