// Intent: where a line is a library's, the report says under its findings, before its tables, how to see who calls it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++17 -O0 %s -o %t.exe
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem:callers=off %t.exe
// RUN: env COLUMNS=100 %inmem report --full %t.inmem | %FileCheck %s --check-prefix=UNDER
// RUN: env COLUMNS=100 %inmem report --by site %t.inmem | %FileCheck %s --check-prefix=ABOVE
// RUN: rm -f %t.on.inmem && env INMEM_OPTIONS=output=%t.on.inmem %t.exe
// RUN: %inmem report --full %t.on.inmem | %FileCheck %s --check-prefix=KNOWN --implicit-check-not='stacks=16'
#include <map>

// UNDER: {{^}}FINDINGS
// UNDER-NOT: {{^[A-Z]}}
// UNDER: INMEM_OPTIONS=stacks=16 records
// UNDER-NOT: stacks=16
// UNDER: {{^}}TYPES
// UNDER-NOT: stacks=16
// ABOVE-NOT: stacks=16
// ABOVE: stl_tree.h
// ABOVE: library code above: INMEM_OPTIONS=stacks=16 records who calls it
// KNOWN: hint.cpp:[[@LINE+4]]
int main() {
  std::map<int, int> Kept;
  for (int I = 0; I < 1000; ++I)
    Kept[I] = I;
  return Kept.size() != 1000;
}
