// Intent: a library's recursion has as many paths as it has ways through a tree: each leads to its line, all of them take no more memory than a
// few, and calls too deep to follow count for the library's line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O2 %s -o %t.exe && rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem %t.exe > %t.on
// RUN: %inmem report %t.inmem --format json > %t.json && %python %S/Inputs/lines.py %t.json recursion.cpp | %FileCheck %s
// RUN: env INMEM_OPTIONS=output=none:callers=off %t.exe > %t.off
// RUN: %python -c "on, off = (int(open(name).read()) for name in ('%{t}.on', '%{t}.off')); assert on - off < 1024, (on, off)"
// RUN: %inmem-clangxx -O0 %s -o %t.exe && rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem %t.exe
// RUN: %inmem report %t.inmem --format json > %t.json && %python %S/Inputs/lines.py %t.json recursion.cpp | %FileCheck %s
#include <map>
#include <set>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#define APART __attribute__((noinline))
#define KEEP(X) asm volatile("" ::"r"(X) : "memory")

// What follows is as in a system header.
# 1 "library.h" 1 3
namespace library {
struct Node {
  long Parts[5];
};
APART Node *make() {
  Node *N = new Node;
  KEEP(N);
  return N;
}
// Through one of two calls of itself at each level, and one more function at some.
APART Node *follow(unsigned Way, unsigned Levels);
APART Node *aside(unsigned Way, unsigned Levels) {
  Node *N = follow(Way, Levels);
  KEEP(N);
  return N;
}
APART Node *follow(unsigned Way, unsigned Levels) {
  Node *N = nullptr;
  if (Levels == 0)
    N = make();
  else if (Way & 1)
    N = follow(Way >> 1, Levels - 1);
  else if (Way & 256)
    N = aside(Way >> 1, Levels - 1);
  KEEP(N);
  if (!N)
    N = follow(Way >> 1, Levels - 1);
  KEEP(N);
  return N;
}
} // namespace library
# 53 "recursion.cpp" 2

int main() {
  constexpr unsigned kLevels = 16, kWays = 1 << kLevels;
  // CHECK: whole
  for (unsigned Way = 0; Way < kWays; ++Way) {
    // CHECK-NEXT: line [[#@LINE+1]]: 65536
    delete library::follow(Way, kLevels);
    // CHECK-NEXT: line [[#@LINE+1]]: 65536
    delete library::follow(Way, Way % kLevels);
    // Too deep: no line of this program.
    delete library::follow(Way, 60);
  }
  std::map<int, int> M;
  std::set<long> S;
  for (int I = 0; I < 5000; ++I) {
    // CHECK-NEXT: line [[#@LINE+1]]: 5000
    M[static_cast<int>(I * 2654435761u >> 4)] = I;
    // CHECK-NEXT: line [[#@LINE+1]]: 5000
    S.insert(I ^ 21);
  }
  // CHECK-NEXT: line [[#@LINE+1]]: 5000
  std::map<int, int> N(M);
  KEEP(&N);
  // CHECK-NEXT: line [[#@LINE+1]]: 5000
  std::set<long> T(S);
  KEEP(&T);
  // CHECK-NOT: line
  rusage Usage;
  getrusage(RUSAGE_SELF, &Usage);
  char Text[32];
  const int Length = snprintf(Text, sizeof Text, "%ld\n", Usage.ru_maxrss);
  return write(1, Text, Length) != Length;
}
