// Intent: the address of the thread's cells is kept in a register where it serves several counters; one that serves
// a single one, because a call follows or the function ends, is left to the addressing mode of the increment.
// RUN: %clangxx -O2 -fPIE -fplugin=%plugin -S -emit-llvm %s -o - | %FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
struct V { V(); V(int); int x; };
struct W { W(int x) : x(x) {} int x; };

// CHECK-LABEL: define {{.*}}void @_Z5apartv(
// CHECK: call void @_ZN1VC1Ev(
// CHECK-NOT: = call {{.*}}asm
// CHECK: call void @_ZN1VC1Ei(
// CHECK-NOT: = call {{.*}}asm
// CHECK: ret void
void apart() {
  V v;
  V w(1);
}

// CHECK-LABEL: define {{.*}}void @_Z8togetherPi(
// CHECK: call void @_ZN1VC1Ev(
// CHECK: call ptr asm "", "=r,0"(ptr %{{.*}})
// CHECK: store atomic
// CHECK-NOT: @__inmem_delta
// CHECK: ret void
void together(int *flag) {
  V v;
  __atomic_store_n(flag, 1, __ATOMIC_SEQ_CST);
  W w(2);
}
