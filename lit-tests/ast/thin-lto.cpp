// Intent: before a link with ThinLTO the counters of a function local to the unit are hidden names, so that what calls
// it can move into other units; else they are private.
// RUN: %clangxx -O1 -flto=thin -fplugin=%plugin -S -emit-llvm %s -o - | %FileCheck %s --check-prefix=LTO
// RUN: %clangxx -O1 -fplugin=%plugin -S -emit-llvm %s -o - | %FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LTO: @__inmem_c._ZL5localv.{{[0-9a-f.]+}} = hidden global i64 0, section "inmem_counters"
// CHECK: @__inmem_c._ZL5localv.{{[0-9a-f.]+}} = private global i64 0, section "inmem_counters"
struct Foo {
  Foo();
  ~Foo();
};
__attribute__((noinline)) static void local() { Foo foo; }
void use() { local(); }
