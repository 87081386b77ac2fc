// REQUIRES: lld
// Intent: full and thin LTO count the same allocations, once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O2 -flto -fuse-ld=lld %s -o %t.full
// RUN: %record %t.json -- %t.full && %expect %t.json 'types["Item"].allocations == 100'
// RUN: %inmem-clangxx -O2 -flto=thin -fuse-ld=lld %s -o %t.thin
// RUN: %record %t.json -- %t.thin && %expect %t.json 'types["Item"].allocations == 100'
// RUN: %inmem-clangxx -O2 -fuse-ld=lld -Wl,--gc-sections -ffunction-sections -fdata-sections %s -o %t.gc
// RUN: %record %t.json -- %t.gc && %expect %t.json 'types["Item"].allocations == 100'

struct Item {
  int a, b;
};
static Item *volatile Sink;

int main() {
  for (int i = 0; i < 100; ++i) {
    Item *item = new Item;
    Sink = item;
    delete item;
  }
}
