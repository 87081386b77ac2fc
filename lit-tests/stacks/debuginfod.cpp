// Intent: a stripped program's debug file comes from a debuginfod server, and afterwards from the
// cache that such clients share, by build id.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: strip, debuginfod
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %inmem-clangxx -g -O1 -Wl,--build-id %s -o app
// RUN: objcopy --only-keep-debug app app.debug && strip app
// RUN: env INMEM_OPTIONS=output=app.inmem:stacks=16 ./app
// RUN: sh -c 'id=$(%inmem dump app.inmem | sed -n "s/.*path=\".*app\" build-id=//p"); \
// RUN:   mkdir -p served/buildid/$id && mv app.debug served/buildid/$id/debuginfo'
// RUN: cp app.inmem second.inmem && mkdir cache
// RUN: %inmem flame --format folded --metric count app.inmem | %FileCheck %s --check-prefix=STRIPPED
// STRIPPED: {{^}}app+0x{{.*}};inner;Foo 3{{$}}
// RUN: %python %S/Inputs/debuginfod.py served cache %inmem symbolize app.inmem
// RUN: %inmem flame --format folded --metric count app.inmem | %FileCheck %s
// RUN: rm -rf served app && env DEBUGINFOD_CACHE_PATH=%t/cache %inmem symbolize second.inmem
// RUN: rm -rf cache
// RUN: %inmem flame --format folded --metric count second.inmem | %FileCheck %s
// CHECK: {{^}}main;Outer::inlined;inner;Foo 3{{$}}

struct Foo {
  int values[10];
};
__attribute__((noinline)) Foo *inner() {
  Foo *foo = new Foo;
  asm volatile("" : : "r"(foo));
  return foo;
}
struct Outer {
  static void inlined() { delete inner(); }
};

int main() {
  for (int i = 0; i < 3; ++i)
    Outer::inlined();
}
