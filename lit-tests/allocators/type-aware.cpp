// Intent: type-aware operators new and delete (P2719) behave as without inmem, and their blocks have the right types.
// REQUIRES: llvm-22
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %clangxx -w -std=c++26 -O2 %s -o %t.plain && %t.plain > %t.txt
// RUN: %inmem-clangxx -w -std=c++26 -O0 %s -o %t && %record %t.json -- %t | diff %t.txt - && %expect %t.json --in %s
// RUN: %inmem-clangxx -w -std=c++26 -O2 %s -o %t && %record %t.json -- %t | diff %t.txt - && %expect %t.json --in %s
// EXPECT: types["Item"].allocations == 11
// EXPECT: types["Item"].elements == 13
// EXPECT: types["Item"].live_allocations == 0
// EXPECT: types["Other"].allocations == 10
// EXPECT: types["Own"].allocations == 10
// EXPECT: types["Own"].live_allocations == 0
#include <cstdio>
#include <cstdlib>
#include <new>
#include <type_traits>
struct Item {
  long A[3];
};
struct Other {
  int V;
};
static int Aware, Freed;
template <class T> void *operator new(std::type_identity<T>, std::size_t Size, std::align_val_t) {
  ++Aware;
  return malloc(Size);
}
template <class T> void operator delete(std::type_identity<T>, void *P, std::size_t, std::align_val_t) noexcept {
  ++Freed;
  free(P);
}
struct Own {
  long B[2];
  template <class T> static void *operator new(std::type_identity<T>, std::size_t Size, std::align_val_t) {
    ++Aware;
    return ::operator new(Size);
  }
  template <class T> static void operator delete(std::type_identity<T>, void *P, std::size_t, std::align_val_t) noexcept {
    ++Freed;
    ::operator delete(P);
  }
};
Item *volatile K;
Other *volatile O;
Own *volatile W;
int main() {
  for (int I = 0; I < 10; ++I) {
    K = new Item;
    delete K;
    O = new Other;
    delete O;
    W = new Own;
    delete W;
  }
  K = new Item[3];
  delete[] K;
  printf("%d aware, %d freed\n", Aware, Freed);
}
