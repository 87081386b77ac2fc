// Intent: a snapshot of a program of which not everything is recorded says so and tells no leaks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++17 -O1 %s -o %t.program
// RUN: env INMEM_OPTIONS=output=%t.all.inmem %t.program
// RUN: %inmem heap %t.all.heap | %FileCheck %s --check-prefix=ALL
// ALL-NOT: partial
// ALL: no leaks
// RUN: env INMEM_OPTIONS=output=%t.every.inmem:every=2 %t.program
// RUN: %inmem heap %t.every.heap | %FileCheck %s --check-prefix=PART -DWHY=sampled
// RUN: env INMEM_OPTIONS=output=%t.bytes.inmem:sample_bytes=100 %t.program
// RUN: %inmem heap %t.bytes.heap | %FileCheck %s --check-prefix=PART -DWHY=sampled
// RUN: env INMEM_OPTIONS=output=%t.exclude.inmem:exclude=Holder %t.program
// RUN: %inmem heap %t.exclude.heap | %FileCheck %s --check-prefix=PART -DWHY=filtered
// RUN: env INMEM_OPTIONS=output=%t.start.inmem:start=off %t.program start
// RUN: %inmem heap %t.start.heap | %FileCheck %s --check-prefix=PART "-DWHY=recording was off for a while"
// RUN: env INMEM_OPTIONS=output=%t.stop.inmem %t.program stop
// RUN: %inmem heap %t.stop.heap | %FileCheck %s --check-prefix=PART "-DWHY=recording was off for a while"
// PART: partial ([[WHY]])
// PART-NOT: no leaks
// PART-NOT: LEAKS
// RUN: %inmem heap --format json %t.exclude.heap -o %t.json
// RUN: %python %inputs/heap.py %t.json 'totals.unreachable_bytes is None' 'partial == ["filtered"]' 'leaks == []'
#include <inmem/inmem.h>

#include <cstring>
#include <memory>
#include <vector>

struct Leaf {
  long Value[8];
};
struct Holder {
  std::unique_ptr<Leaf> Own = std::make_unique<Leaf>();
};
static std::vector<std::unique_ptr<Holder>> Kept;

int main(int, char **Arguments) {
  const char *Case = Arguments[1] ? Arguments[1] : "";
  auto Add = [] {
    for (int I = 0; I < 100; ++I)
      Kept.push_back(std::make_unique<Holder>());
  };
  Add();
  if (std::strcmp(Case, "start") == 0)
    inmem_start();
  if (std::strcmp(Case, "stop") == 0) {
    inmem_stop();
    inmem_start();
  }
  Add();
  inmem_snapshot();
}
