// Intent: the form of a counter: its own comdat, no use of the object's address, delta
// form in executables, table form with -fPIC; counted after the constructor returned.
// RUN: %clangxx -O0 -fPIE -fplugin=%plugin -S -emit-llvm %s -o - | %FileCheck --check-prefixes=CHECK,EXE %s
// RUN: %clangxx -O0 -fPIC -fplugin=%plugin -S -emit-llvm %s -o - | %FileCheck --check-prefixes=CHECK,PIC %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
struct V { V(); ~V(); int x; };
void sink();

// CHECK-DAG: @[[CELL:__inmem_c\._Z4testv\.[0-9a-f]+]] = linkonce_odr hidden global i64 0, section "inmem_counters", comdat, align 8
// CHECK-DAG: @__inmem_o._Z4testv.{{[0-9a-f]+}} = linkonce_odr hidden constant {{.*}}, section "inmem_objects", comdat($[[CELL]]), align 8
void test() {
  // CHECK-LABEL: define {{.*}}void @_Z4testv(
  // CHECK: call void @_ZN1VC1Ev(
  // EXE: [[T:%.*]] = call {{.*}}ptr @llvm.threadlocal.address.p0(ptr {{.*}}@__inmem_delta)
  // EXE-NEXT: [[D:%.*]] = load i64, ptr [[T]], align 8, {{.*}}!tbaa
  // PIC: [[I:%.*]] = load i32, ptr @__inmem_table_index, align 4
  // PIC: call {{.*}}ptr @llvm.threadlocal.address.p0(ptr {{.*}}@__inmem_displacements)
  // PIC: [[D:%.*]] = load i64, ptr
  // CHECK: [[A:%.*]] = getelementptr i8, ptr @[[CELL]], i64 [[D]]
  // CHECK-NEXT: [[O:%.*]] = load i64, ptr [[A]], align 8, {{.*}}!tbaa
  // CHECK-NEXT: [[N:%.*]] = add i64 [[O]], 1
  // CHECK-NEXT: store i64 [[N]], ptr [[A]], align 8, {{.*}}!tbaa
  V v;
  sink();
}
