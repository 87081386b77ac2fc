// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// callers WHAT N: N pairs of allocation and free in a function that the
// compiler takes for a library's. One line calls it, two lines call it in turn,
// or three or six library functions are in between.
#include <cstdlib>
#include <cstring>

#define APART __attribute__((noinline))
#define KEEP(X) asm volatile("" ::"r"(X) : "memory")

// The code below counts as a system header.
# 1 "library.h" 1 3
namespace library {
struct Node {
  long Parts[5];
};
Node *volatile Last;
APART void make() {
  Last = new Node;
  KEEP(Last);
}
APART void second() {
  make();
  KEEP(Last);
}
APART void third() {
  second();
  KEEP(Last);
}
APART void fourth() {
  third();
  KEEP(Last);
}
APART void fifth() {
  fourth();
  KEEP(Last);
}
APART void sixth() {
  fifth();
  KEEP(Last);
}
} // namespace library
# 33 "callers.cpp" 2

int main(int Count, char **Words) {
  if (Count < 3)
    return 2;
  const long Pairs = std::atol(Words[2]);
  const char *What = Words[1];
  for (long I = 0; I < Pairs; ++I) {
    if (!std::strcmp(What, "one"))
      library::make();
    else if (!std::strcmp(What, "two")) {
      if (I % 2) {
        library::make();
        asm volatile("# one");
      } else {
        asm volatile("# the other");
        library::make();
      }
    } else if (!std::strcmp(What, "levels"))
      library::third();
    else if (!std::strcmp(What, "six"))
      library::sixth();
    else
      return 2;
    delete library::Last;
  }
}
