// Intent: functions of C that call others, and so may stand on a stack, carry the mark of their language; others do not grow.
// REQUIRES: llvm-22
// RUN: %clang -O0 -fplugin=%plugin --target=x86_64-linux-gnu -S -emit-llvm %s -o - | %FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
void other(void);
int leaf(int a) { return a + 1; }
void caller(void) { other(); }
// CHECK: define {{.*}}@leaf(
// CHECK-NOT: prefix
// CHECK: define {{.*}}@caller({{.*}} prefix [16 x i8]
