// Intent: counting small value objects in hot code costs few instructions:
// those that are made together share a counter, and a loop that calls nothing
// counts in registers. Instructions of a round, over those with objects=off.
// REQUIRES: valgrind
// RUN: %python %S/../Inputs/instructions.py --most 1.05 %inmem-clangxx %s %t
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>

struct Bool {
  unsigned char value;
  explicit Bool(unsigned char v) : value(v) {}
  Bool(const Bool &o) : value(o.value) {}
  ~Bool() {}
  bool operator==(Bool o) const { return value == o.value; }
  Bool operator^(bool b) const { return Bool(value ^ b); }
};
struct Literal {
  int x;
  explicit Literal(int x) : x(x) {}
  Literal operator~() const { return Literal(x ^ 1); }
};
static unsigned char assigned[1024];
static int clauses[4096];
static Bool valueOf(Literal l) { return Bool(assigned[l.x >> 1]) ^ (l.x & 1); }

__attribute__((noinline)) static unsigned search(unsigned round) {
  unsigned found = 0;
  for (unsigned i = 0; i < 4096; i += 8) {
    if (valueOf(Literal(clauses[i])) == Bool(1)) {
      ++found;
      continue;
    }
    for (unsigned k = 1; k < 8; ++k)
      if (valueOf(~Literal(clauses[i + k])) == Bool(0)) {
        clauses[i] = clauses[i + k] ^ static_cast<int>(round & 1);
        break;
      }
  }
  return found;
}

int main(int, char **argv) {
  unsigned random = 1, sum = 0;
  for (int &clause : clauses)
    clause = static_cast<int>((random = random * 1664525 + 1013904223) >> 22);
  for (unsigned char &value : assigned)
    value = (random = random * 1664525 + 1013904223) >> 31;
  for (int i = 0, n = atoi(argv[1]); i < n; ++i)
    sum += search(static_cast<unsigned>(i));
  return sum == 0;
}
