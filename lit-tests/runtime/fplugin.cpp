// Intent: the plugin's flags by hand, alone and together, instrument once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %clangxx -O2 -fplugin=%plugin %s %librt -o %t.exe -Wl,-rpath,%libdir
// RUN: %record %t.json -- %t.exe && %expect %t.json 'types["Item"].allocations == 100'
// RUN: %clangxx -O2 -fplugin=%plugin -fpass-plugin=%plugin %s %librt -o %t.exe -Wl,-rpath,%libdir
// RUN: %record %t.json -- %t.exe && %expect %t.json 'types["Item"].allocations == 100'
// RUN: %clangxx -O2 -fpass-plugin=%plugin %s %librt -o %t.exe -Wl,-rpath,%libdir
// RUN: %record %t.json -- %t.exe && %expect %t.json 'totals.allocations >= 100'

// Without the runtime the link fails and names what is missing.
// RUN: %not %clangxx -O2 -fplugin=%plugin %s -o %t.exe 2>&1 | %FileCheck %s
// CHECK: link_with_libinmem_rt

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
