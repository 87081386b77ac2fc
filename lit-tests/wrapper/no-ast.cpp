// Intent: where clang has no AST when it runs the passes, allocations are instrumented all the same.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %inmem-clangxx -O2 -save-temps %s -o %t/saved
// RUN: %record %t/json -- %t/saved && %expect %t/json 'sum(site.allocations for site in sites if site.kind == "new") == 100'
// RUN: %clangxx -O2 -Xclang -disable-llvm-passes -emit-llvm -c %s -o %t/plain.bc
// RUN: %inmem-clangxx -O2 %t/plain.bc -o %t/bitcode
// RUN: %record %t/json -- %t/bitcode && %expect %t/json 'sum(site.allocations for site in sites if site.kind == "new") == 100'

struct Item {
  int a, b;
};
static Item *volatile Sink;

int main() {
  for (int i = 0; i < 100; ++i) {
    Sink = new Item;
    delete Sink;
  }
}
