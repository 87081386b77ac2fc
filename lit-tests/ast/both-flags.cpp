// Intent: -fplugin and -fpass-plugin together instrument once, as -fplugin alone does;
// on LLVM 22 -fpass-plugin alone brings the types as well.
// RUN: %clangxx -O1 -gno-record-command-line -fplugin=%plugin -S -emit-llvm %s -o %t.one.ll
// RUN: %clangxx -O1 -gno-record-command-line -fplugin=%plugin -fpass-plugin=%plugin -S -emit-llvm %s -o %t.two.ll
// RUN: diff %t.one.ll %t.two.ll
// RUN: %clangxx -O1 -fpass-plugin=%plugin -S -emit-llvm %s -o - | %FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
struct Foo { Foo(); int a; };
// CHECK: call {{.*}} @__inmem__Znwm(i64 {{.*}}4, ptr {{.*}}@__inmem_site._Z4testv.0)
Foo *test() { return new Foo; }
