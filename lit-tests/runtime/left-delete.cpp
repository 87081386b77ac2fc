// Intent: a program's own operator delete that is left by longjmp is over: what later lies at the same address is freed
// as any other block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O0 %s -o %t.exe
// RUN: %record %t.json -- %t.exe
// RUN: %expect %t.json 'types["Foo"].allocations == 3' 'types["Foo"].frees == 3'

#include <csetjmp>
#include <cstdlib>
#include <new>

struct Foo {
  long n[8];
};
static jmp_buf Out;
static bool Leaves;
static void *Free;

void *operator new(std::size_t size) {
  void *block = Free ? Free : std::malloc(size);
  Free = nullptr;
  return block;
}
void operator delete(void *block, std::size_t) noexcept {
  Free = block;
  if (Leaves)
    longjmp(Out, 1);
}
void operator delete(void *block) noexcept { ::operator delete(block, sizeof(Foo)); }

int main() {
  Foo *first = new Foo;
  Leaves = true;
  if (setjmp(Out) == 0)
    delete first;
  Leaves = false;
  for (int i = 0; i < 2; ++i)
    delete new Foo;
}
