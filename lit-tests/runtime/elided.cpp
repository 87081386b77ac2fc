// Intent: an allocation that clang removes without us is removed with us.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O2 %s -o %t.exe
// RUN: %record %t.json -- %t.exe
// RUN: %expect %t.json '"Gone" not in types' 'types["Stays"].allocations == 1'

struct Gone {
  int a, b;
};
struct Stays {
  int a;
};
static void *volatile Sink;

int main(int argc, char **) {
  int total = 0;
  for (int i = 0; i < 100; ++i) {
    Gone *gone = new Gone{argc, i};
    total += gone->a + gone->b;
    delete gone;
  }
  Sink = new Stays{total};
}
