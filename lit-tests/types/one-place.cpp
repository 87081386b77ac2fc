// Intent: closures at one place, as macros make them, do not lend each other the types of what they allocate; where a
// unit has the code of std::string, that code makes the block and not its caller.
// RUN: %inmem-clangxx -std=c++20 -O0 %s -o %t.O0 && %record %t.O0.json -- %t.O0
// RUN: %inmem-clangxx -std=c++20 -O2 %s -o %t.O2 && %record %t.O2.json -- %t.O2
// RUN: %expect %t.O0.json '("Left" in types) == ("Right" in types) and types["Alone"].allocations == 1' \
// RUN:   '{s.kind for s in types["char"].sites} == {"allocator"} and "_M_create" in types["char"].sites[0].function'
// RUN: %expect %t.O2.json '("Left" in types) == ("Right" in types) and types["Alone"].allocations == 1 and types["char"].allocations == 1'
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string>

struct Left { int n[5]; };
struct Right { int n[5]; };
struct Alone { int n[7]; };
static void *volatile Sink;
volatile int N = 100;
#define TWO(A, B) [] { Sink = new A; }(), [] { Sink = new B; }()

int main() {
  TWO(Left, Right);
  [] { Sink = new Alone; }();
  std::string text(N, 'x');
  Sink = &text;
}
