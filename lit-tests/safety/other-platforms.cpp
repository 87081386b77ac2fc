// Intent: what inmem does not work with is refused in one line where it is compiled, before it fails to
// link or at run time: emulated thread-local storage. For a C library without a runtime the wrapper compiles without inmem.
// RUN: %not %inmem-clangxx -femulated-tls -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=EMULATED
// EMULATED: error: inmem does not work with -femulated-tls
// EMULATED-NOT: {{error:|warning:}}
// RUN: %inmem-clangxx -femulated-tls -fno-emulated-tls %s -o %t.exe -pthread
// RUN: %record %t.json -- %t.exe
// RUN: %expect %t.json 'types["Item"].objects.destroyed == 2'
// RUN: %inmem-clangxx --target=x86_64-linux-android21 -nostdinc -DBARE -S %s -o - 2>%t.err | %FileCheck %s --check-prefix=PLAIN --implicit-check-not=inmem_
// RUN: %FileCheck --input-file %t.err %s --check-prefix=LINE
// PLAIN: made
// LINE: inmem-clang++: nothing is recorded: inmem needs glibc or musl, and the target is x86_64-linux-android21
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
struct Item { int v; Item(int v) : v(v) {} ~Item() { asm volatile(""); } };
int made(int v) { Item item(v); asm volatile("" ::"r"(&item) : "memory"); return item.v; }
#ifndef BARE
#include <thread>
int main() {
  int one = made(1), two = 0;
  std::thread([&] { two = made(2); }).join();
  return one + two != 3;
}
#endif
