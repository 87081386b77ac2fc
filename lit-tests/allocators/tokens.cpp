// Intent: -fsanitize=alloc-token calls the allocator of its name with its tokens, and the blocks have their types.
// REQUIRES: llvm-22
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %clangxx -O2 -DOWN -c %s -o %t.own.o && %clangxx -O2 -fsanitize=alloc-token %s %t.own.o -o %t.plain && %t.plain > %t.txt
// RUN: %inmem-clangxx -O2 -fsanitize=alloc-token %s %t.own.o -o %t && %record %t.json -- %t | diff %t.txt - && %expect %t.json --in %s
// RUN: %inmem-clangxx -O0 -fsanitize=alloc-token %s %t.own.o -o %t && %record %t.json -- %t | diff %t.txt - && %expect %t.json --in %s
// EXPECT: types["Item"].allocations == 10
// EXPECT: types["Item"].live_allocations == 0
// EXPECT: types["Data"].allocations == 10
// EXPECT: types["Data"].live_allocations == 0
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#ifdef OWN
uint64_t Tokens;
extern "C" void *__alloc_token_malloc(size_t Size, uint64_t Token) {
  Tokens += Token;
  return malloc(Size);
}
extern "C" void *__alloc_token__Znwm(size_t Size, uint64_t Token) {
  Tokens += Token;
  return malloc(Size);
}
#else
extern uint64_t Tokens;
struct Item {
  long A[3];
  Item *Next;
};
struct Data {
  int V[4];
};
Item *volatile K;
Data *volatile D;
int main() {
  for (int I = 0; I < 10; ++I) {
    K = new Item;
    delete K;
    D = static_cast<Data *>(malloc(sizeof(Data)));
    free(D);
  }
  printf("%llu\n", static_cast<unsigned long long>(Tokens));
}
#endif
