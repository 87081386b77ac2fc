// Intent: a stripped program's stacks get names, lines and inlined calls from its build id, and the
// trace then needs no other file; an unstripped one's kept by `inmem run` do so at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: strip
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %inmem-clangxx -g -O1 -Wl,--build-id %s -o app
// RUN: mkdir away && objcopy --only-keep-debug app away/app.debug
// RUN: cp app whole
// RUN: strip app
// RUN: env INMEM_OPTIONS=output=app.inmem:stacks=16 ./app
// RUN: %inmem flame --format folded --metric count app.inmem | %FileCheck %s --check-prefix=STRIPPED
// STRIPPED: {{^}}app+0x{{.*}};inner;Foo 3{{$}}
// RUN: %inmem symbolize app.inmem | %FileCheck %s --check-prefix=NONE
// NONE: no symbols for {{.*}}/app{{$}}
// RUN: sh -c 'id=$(%inmem dump app.inmem | sed -n "s/.*path=\".*app\" build-id=//p"); \
// RUN:   folder=tree/.build-id/$(echo $id | cut -c1-2); mkdir -p $folder; \
// RUN:   mv away/app.debug $folder/$(echo $id | cut -c3-).debug'
// RUN: %inmem symbolize --debug-dir tree app.inmem
// RUN: rm -rf app tree
// RUN: %inmem flame --format folded --metric count app.inmem | %FileCheck %s
// RUN: %inmem report --diagnostics --by stack --top 0 app.inmem 2>&1 | %FileCheck %s --check-prefix=LINES
// CHECK: {{^}}main;Outer::inlined;inner;Foo 3{{$}}
// LINES: 0 diagnostics of the reader, 0 of the verifier
// LINES: main {{.*}}symbolize.cpp:[[@LINE+22]]
// LINES: Outer::inlined {{.*}}symbolize.cpp:[[@LINE+16]] (inlined)
// RUN: cp whole app && env INMEM_OPTIONS=stacks=16 %inmem run -q --trace kept.inmem -- ./app
// RUN: rm app
// RUN: %inmem flame --format folded --metric count kept.inmem | %FileCheck %s
// RUN: %not %inmem symbolize missing.inmem 2>&1 | %FileCheck %s --check-prefix=MISSING
// MISSING: inmem: missing.inmem: {{.*}}No such file

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
