// Intent: a program's own operator new that throws: a request that fails is not counted as a block, and recording continues.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 %s -o %t.exe
// RUN: %record %t.json -- %t.exe
// RUN: %expect %t.json 'types["Foo"].allocations == 6' 'types["Bar"].allocations == 7' 'types["Bar"].frees == 7' \
// RUN:   'types["Last"].allocations == 1'
// RUN: %inmem-clangxx -O1 -static %s -o %t.static
// RUN: %record %t.json -- %t.static
// RUN: %expect %t.json 'types["Foo"].allocations == 6' 'types["Bar"].allocations == 7' 'types["Bar"].frees == 7' \
// RUN:   'types["Last"].allocations == 1'
#include <cstdio>
#include <cstdlib>
#include <new>

static bool Full;
void *operator new(std::size_t Size) {
  if (Full)
    throw std::bad_alloc();
  return std::malloc(Size);
}
void operator delete(void *Block) noexcept { std::free(Block); }
void operator delete(void *Block, std::size_t) noexcept { std::free(Block); }

struct Foo {
  long Values[3];
};
struct Bar {
  long Values[4];
};
struct Last {
  long Values[5];
};
static void *volatile Sink;

[[gnu::noinline]] static Foo *make() { return new Foo; }

int main() {
  int Thrown = 0;
  Sink = make();
  for (int I = 0; I < 10; ++I) {
    Full = I % 2;
    try {
      Sink = make();
    } catch (const std::bad_alloc &) {
      ++Thrown;
    }
  }
  Full = false;
  for (int I = 0; I < 7; ++I) {
    Bar *New = new Bar;
    Sink = New;
    delete New;
  }
  Sink = static_cast<Last *>(std::malloc(sizeof(Last)));
  std::printf("%d thrown\n", Thrown);
  return Thrown == 5 ? 0 : 1;
}
