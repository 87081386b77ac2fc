// Intent: hash tables with many empty buckets are sparse containers; hash tables, maps and lists are among the largest collections.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++17 -O1 %s -o %t.program
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.program
// RUN: %inmem heap --format json %t.heap -o %t.json
// RUN: %python %inputs/holders.py %t.json
// RUN: %inmem heap %t.heap | %FileCheck %s
// CHECK: LARGEST COLLECTIONS
// CHECK: All.
// CHECK: SPARSE CONTAINERS
// CHECK: All.Few
#include <inmem/inmem.h>

#include <list>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>

struct All {
  std::unordered_map<int, int> Few;
  std::unordered_set<std::string> One;
  std::unordered_map<int, int> Full;
  std::map<int, int> Map;
  std::set<long> Set;
  std::list<int> List;
};
static All *Kept;

[[gnu::noinline]] static void fill() {
  Kept = new All;
  for (int I = 0; I < 10000; ++I)
    Kept->Few[I] = I;
  for (int I = 0; I < 9990; ++I)
    Kept->Few.erase(I);
  Kept->One.reserve(100000);
  Kept->One.insert("one");
  for (int I = 0; I < 5000; ++I) {
    Kept->Full[I] = I;
    Kept->Map[I] = I;
    Kept->Set.insert(I);
    Kept->List.push_back(I);
  }
}
/// What calls have left on the stack leads to nodes, too.
[[gnu::noinline]] static void wipe() {
  volatile char Room[64 * 1024];
  for (volatile char &C : Room)
    C = 0;
}

int main() {
  fill();
  wipe();
  inmem_snapshot();
}
