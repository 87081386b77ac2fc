// Intent: a snapshot's child takes the same number of instructions a block, however large the heap, and the program's pause does not depend on it; for `inmem resident` it leaves the references out, which `inmem heap` says.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: valgrind
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %inmem-clangxx -O1 -g %s -o app
// RUN: %python %S/Inputs/linear.py %inmem valgrind
// RUN: not %inmem heap resident.heap 2>&1 | %FileCheck %s
// CHECK: resident.heap: was taken for `inmem resident`, without references between blocks
#include "Inputs/serve.h"
#include <inmem/inmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

struct Node {
  Node *Next;
  char Text[200];
  unsigned long Number;
};

int main(int Count, char **Words) {
  std::vector<Node *> All;
  Node *Last = nullptr;
  for (int I = 0; I < atoi(Words[1]); ++I) {
    Last = new Node{Last, {}, 7};
    memset(Last->Text, 'x', sizeof Last->Text);
    All.push_back(Last);
  }
  // Free chunks, and pointers to nothing.
  for (size_t I = 0; I < All.size(); I += 10)
    delete All[I];
  if (Count < 3) {
    inmem_snapshot(nullptr);
    return 0;
  }
  serveUntilInput();
  return 0;
}
