// REQUIRES: jemalloc, tcmalloc, mimalloc
// Intent: a program's own operators new and delete get the same blocks under a preloaded allocator, from
// the first block on, also if the C++ library allocates for the program's inlined code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O0 %s -o %t.o0
// RUN: %inmem-clangxx -O2 %s -o %t.o2
// RUN: %record %t.json -- %t.o0 && %record %t.json -- %t.o2
// RUN: %record %t.json -- env LD_PRELOAD=libjemalloc.so.2 %t.o0
// RUN: %record %t.json -- env LD_PRELOAD=libjemalloc.so.2 %t.o2
// RUN: %record %t.json -- env LD_PRELOAD=libtcmalloc.so.4 %t.o0
// RUN: %record %t.json -- env LD_PRELOAD=libtcmalloc.so.4 %t.o2
// RUN: %record %t.json -- env LD_PRELOAD=libmimalloc.so.2 %t.o0
// RUN: %record %t.json -- env LD_PRELOAD=libmimalloc.so.2 %t.o2 && %expect %t.json 'types["Item"].allocations == 1000' 'types["Item"].live_allocations == 0'

#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>

static const unsigned long Magic = 0x1234567890abcdef;
static long Foreign, Missing;

__attribute__((noinline)) void *operator new(std::size_t Size) {
  auto *Block = static_cast<unsigned long *>(std::malloc(Size + 32));
  if (!Block)
    throw std::bad_alloc();
  Block[0] = Magic;
  ++Missing;
  return Block + 4;
}
__attribute__((noinline)) void operator delete(void *P) noexcept {
  if (!P)
    return;
  unsigned long *Block = static_cast<unsigned long *>(P) - 4;
  if (Block[0] != Magic) {
    ++Foreign;
    return;
  }
  Block[0] = 0;
  --Missing;
  std::free(Block);
}
void operator delete(void *P, std::size_t) noexcept { operator delete(P); }

struct Item {
  long Values[4];
};
static void *volatile Sink;

int main() {
  const long Before = Missing; // tcmalloc's constructor keeps some
  for (int I = 0; I < 1000; ++I) {
    auto *New = new Item();
    Sink = New;
    std::string Text("longer than what a string holds itself");
    Text += std::string(60 + I % 9, 'x');
    std::string Copy(Text);
    Sink = Copy.data();
    Copy.reserve(200);
    delete New;
  }
  std::printf("foreign %ld, missing %ld\n", Foreign, Missing - Before);
  return Foreign != 0 || Missing != Before;
}
