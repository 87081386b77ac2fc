// Intent: an instrumented library in a program that is not instrumented.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O2 -fPIC -shared -DLIBRARY %s -Wl,-soname,%t.so -o %t.so
// RUN: %clangxx -O2 %s %t.so -o %t.linked
// RUN: %record %t.json -- %t.linked
// RUN: %expect %t.json 'types["Inside"].allocations == 10' 'types["Inside"].frees == 10'

struct Inside {
  double value[3];
};
static Inside *volatile Sink;
extern "C" void work();

#ifdef LIBRARY
void work() {
  for (int i = 0; i < 10; ++i) {
    Inside *inside = new Inside;
    Sink = inside;
    delete inside;
  }
}
#else
int main() { work(); }
#endif
