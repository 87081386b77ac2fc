// Intent: a call that returns a new block together with its size, and names a class's size, makes such a class: a pair, a structure,
// through a pointer, virtual. A block that already was there keeps its type.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %clangxx -O2 -DPOOL -c %s -o %t.pool.o
// RUN: %inmem-clangxx -O0 %s %t.pool.o -o %t.exe && %record %t.json -- %t.exe
// RUN: %expect %t.json 'types["Order"].allocations == 2 * 3' 'types["Invoice"].allocations == 2' 'types["Ticket"].allocations == 5' 'types["Label"].allocations == 4'
// RUN: %inmem-clangxx -O2 %s %t.pool.o -o %t.exe && %record %t.json -- %t.exe
// RUN: %expect %t.json 'types["Order"].allocations == 2 * 3' 'types["Invoice"].allocations == 2' 'types["Ticket"].allocations == 5' 'types["Label"].allocations == 4'
#include <cstdlib>
#include <utility>

using Pair = std::pair<void *, std::size_t>;
struct Room {
  char *Begin;
  std::size_t Bytes;
};
struct Source {
  virtual Room reserve(std::size_t Bytes) = 0;
};
Pair prepare(std::size_t Bytes, std::size_t Align); // of code without inmem
extern Pair Kept;
Pair keep(std::size_t Bytes);
#ifdef POOL
Pair prepare(std::size_t Bytes, std::size_t) { return {std::malloc(Bytes), Bytes}; }
Pair Kept = {nullptr, 0};
Pair keep(std::size_t Bytes) {
  if (!Kept.first)
    Kept = {std::malloc(Bytes), Bytes};
  return Kept;
}
#else
struct Order {
  long Items[9];
};
struct Invoice {
  long Lines[11];
};
struct Ticket {
  long Row[13];
};
struct Label {
  long Text[15];
};
struct Mallocs final : Source {
  Room reserve(std::size_t Bytes) override { return {static_cast<char *>(std::malloc(Bytes)), Bytes}; }
};
__attribute__((noinline)) static Pair here(std::size_t Bytes) {
  void *P = std::malloc(Bytes);
  return {P, Bytes};
}
static void *volatile Sink;
static Source *volatile From;
static Pair (*volatile Through)(std::size_t) = here;

int main() {
  for (int I = 0; I < 3; ++I) {
    Sink = prepare(sizeof(Order), alignof(Order)).first;
    Sink = here(sizeof(Order)).first;
  }
  for (int I = 0; I < 2; ++I)
    Sink = Through(sizeof(Invoice)).first;
  static Mallocs All;
  From = &All;
  for (int I = 0; I < 5; ++I)
    Sink = From->reserve(sizeof(Ticket)).Begin;
  for (int I = 0; I < 3; ++I)
    Sink = here(sizeof(Label)).first;
  Sink = keep(sizeof(Label)).first;
  Sink = keep(sizeof(Order)).first; // no new block
}
#endif
