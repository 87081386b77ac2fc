// Intent: of a program without instrumentation, blocks of a library that is all headers belong to the program's line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: rm -rf %t.d && mkdir -p %t.d/third_party/kit %t.d/app/kit && cp %s %t.d/third_party/kit/kit.h && cp %s %t.d/app/kit/kit.h
// DEFINE: %{run} = %inmem run -q --options callers=on --trace
// DEFINE: %{lines} = %python %S/Inputs/program-lines.py
// RUN: g++ -O0 -g -I %t.d/third_party %s -o %t.gcc0 && %{run} %t.gcc0.inmem -- %t.gcc0 && %{lines} %s %t.gcc0.inmem %inmem
// Older debug information has folders between numbers.
// RUN: %clangxx -O2 -gdwarf-4 -I %t.d/third_party %s -o %t.clang2 && %{run} %t.clang2.inmem -- %t.clang2 && %{lines} %s %t.clang2.inmem %inmem
// The same namespace in a folder of the program is its own.
// RUN: g++ -O0 -g -I %t.d/app %s -o %t.own && %{run} %t.own.inmem -- %t.own && not %{lines} %s %t.own.inmem %inmem
#define APART __attribute__((noinline))

#if __INCLUDE_LEVEL__ > 0
namespace kit {
template <class T> struct List {
  struct Node {
    Node *Next;
    T Value;
  };
  Node *First = nullptr;

  APART Node *create(const T &Value) {
    Node *N = new Node{First, Value};
    return N;
  }
  APART void add(const T &Value) { First = create(Value); }
};
} // namespace kit
#else
#include <kit/kit.h>

namespace app {
struct Thing {
  long Words[5];
};
APART Thing *make() {
  Thing *T = new Thing; // 3
  T->Words[0] = 1;
  return T;
}
} // namespace app

int main() {
  kit::List<int> Ints;
  for (volatile int I = 0; I < 7; ++I)
    Ints.add(int(I)); // 7
  kit::List<long> Longs;
  Longs.add(1); // 1
  long Sum = 0;
  for (volatile int I = 0; I < 3; ++I) {
    app::Thing *volatile T = app::make();
    Sum += T->Words[0];
  }
  return Sum == 0;
}
#endif
