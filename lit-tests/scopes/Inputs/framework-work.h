// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of the test frameworks' headers measure.
static void *volatile Sink;

struct Foo {
  long a[3];
};

__attribute__((noinline)) static void work(int Count) {
  for (int I = 0; I < Count; ++I) {
    Foo *F = new Foo;
    Sink = F;
    delete F;
  }
}
