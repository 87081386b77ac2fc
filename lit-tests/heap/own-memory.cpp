// Intent: what the runtime maps for itself is no root, also where it lies right behind a library's data,
// which depends on where the kernel finds room.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++17 -O1 -I %inputs %s -o %t.program
// RUN: rm -f %t.*.heap
// RUN: sh -c 'for i in 1 2 3 4; do INMEM_OPTIONS=output=%t.$i.inmem:snapshot=exit:stacks=8:profile=1ms:profile_clock=cpu %t.program || exit 1; done'
// RUN: %inmem heap %t.1.heap | %FileCheck %s
// RUN: %inmem heap %t.2.heap | %FileCheck %s
// RUN: %inmem heap %t.3.heap | %FileCheck %s
// RUN: %inmem heap %t.4.heap | %FileCheck %s
// CHECK: ROOTS
// CHECK-DAG: libstdc++{{.*}} globals 1 71.0 KiB
// CHECK-DAG: program globals

#include "busy.h"

#include <list>
#include <memory>
#include <vector>

static auto &Kept = *new std::list<std::unique_ptr<std::vector<int>>>;

int main() {
  for (int I = 0; I < 50; ++I)
    Kept.push_back(std::make_unique<std::vector<int>>(100));
  return busy(0.02) > 0 ? 0 : 1;
}
