// Intent: each subcommand and option that opens a file ends with a documented exit code and one line when that file is
// damaged: it does not crash, hang or take more memory, and leaves no output.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 %s -o %t.exe && rm -f %t.heap
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.exe
// RUN: rm -rf %t && mkdir %t && cd %t && %python %srcroot/tests/tools/damaged.py --inmem %inmem --assemble %assemble --heap %t.heap --every %if all-tiers %{ 1 %} %else %{ 5 %} \
// RUN:   | %FileCheck %s
// CHECK: all as it should be
#include <inmem/inmem.h>
#include <map>
#include <string>

int main() {
  std::map<int, std::string> names;
  for (int i = 0; i < 20; ++i)
    names[i] = std::string(20 + i, 'x');
  inmem_snapshot();
}
