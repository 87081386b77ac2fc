// Intent: an exception of a hidden operator new passes; what it allocated does not count, and counting goes on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DEFINE: %{right} = 'types["Item"].allocations == 9' 'types["Item"].live_allocations == 0' 'types["int"].allocations == 10' 'types["int"].live_allocations == 0'
// RUN: %if !llvm-16 %{ %inmem-clangxx -O2 -fvisibility-global-new-delete=force-hidden %s -o %t && %record %t.json -- %t && %expect %t.json %{right} %}
// RUN: %if !llvm-16 %{ %inmem-clangxx -O0 -fvisibility-global-new-delete=force-hidden %s -o %t && %record %t.json -- %t && %expect %t.json %{right} %}
// RUN: %inmem-clangxx -O2 -static %s -o %t && %record %t.json -- %t && %expect %t.json %{right}
// RUN: %inmem-clangxx -O2 %s -o %t && %record %t.json -- %t && %expect %t.json %{right}
#include <cstdlib>
#include <new>
struct Item {
  long A[4];
};
static int Calls;
__attribute__((noinline)) void *operator new(size_t Size) {
  void *Work = malloc(100); // not the program's
  const bool Fails = Size == sizeof(Item) && ++Calls == 5;
  void *P = Fails ? nullptr : malloc(Size);
  free(Work);
  if (!P)
    throw std::bad_alloc();
  return P;
}
__attribute__((noinline)) void operator delete(void *P) noexcept { free(P); }
__attribute__((noinline)) void operator delete(void *P, size_t) noexcept { free(P); }
Item *volatile Keep;
int main() {
  int Thrown = 0;
  for (int I = 0; I < 10; ++I) {
    try {
      Keep = new Item;
      delete Keep;
    } catch (const std::bad_alloc &) {
      ++Thrown;
    }
    auto *Other = static_cast<int *>(malloc(sizeof(int)));
    Keep = reinterpret_cast<Item *>(Other);
    free(Other);
  }
  return Thrown != 1;
}
