// Intent: the form of a counter: a group of the unit, no use of the object's address, delta
// form in executables, table form with -fPIC; counted after the constructor returned. Code that is
// not optimised adds out of line.
// RUN: %clangxx -O0 -fPIE -fplugin=%plugin -S -emit-llvm %s -o - | %FileCheck --check-prefixes=CHECK,CALL,EXE %s
// RUN: %clangxx -O0 -fPIC -fplugin=%plugin -S -emit-llvm %s -o - | %FileCheck --check-prefixes=CHECK,CALL,PIC %s
// RUN: %clangxx -O0 -Xclang -disable-O0-optnone -fPIE -fplugin=%plugin -S -emit-llvm %s -o - | %FileCheck --check-prefixes=CHECK,INLINE %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
struct V { V(); ~V(); int x; };
void sink();

// CHECK-DAG: @[[CELL:__inmem_c\._Z4testv\.[0-9a-f]+]] = private global i64 0, section "inmem_counters", comdat($__inmem_unit), align 8
// CHECK-DAG: @__inmem_o._Z4testv.{{[0-9a-f]+}} = private constant {{.*}}, section "inmem_objects", comdat($__inmem_unit), align 8
void test() {
  // CHECK-LABEL: define {{.*}}void @_Z4testv(
  // CHECK: call void @_ZN1VC1Ev(
  // EXE-NEXT: call void @__inmem_add(ptr @[[CELL]], i64 1)
  // PIC-NEXT: call void @__inmem_add_pic(ptr @[[CELL]], i64 1)
  // CALL: define linkonce_odr hidden void @__inmem_add{{(_pic)?}}(ptr [[A0:%.*]], i64 [[ONE:%.*]]) {{.*}}comdat
  // EXE: [[T:%.*]] = call {{.*}}ptr @llvm.threadlocal.address.p0(ptr {{.*}}@__inmem_delta)
  // EXE-NEXT: [[D:%.*]] = load i64, ptr [[T]], align 8, {{.*}}!tbaa
  // PIC: [[I:%.*]] = load i32, ptr @__inmem_table_index, align 4
  // PIC: [[T:%.*]] = call {{.*}}ptr @llvm.threadlocal.address.p0(ptr {{.*}}@__inmem_displacement_table)
  // PIC-NEXT: load ptr, ptr [[T]], align 8, {{.*}}!tbaa
  // PIC: [[D:%.*]] = load i64, ptr
  // CALL: [[A:%.*]] = getelementptr i8, ptr [[A0]], i64 [[D]]
  // CALL-NEXT: [[O:%.*]] = load i64, ptr [[A]], align 8, {{.*}}!tbaa
  // CALL-NEXT: [[N:%.*]] = add i64 [[O]], [[ONE]]
  // CALL-NEXT: store i64 [[N]], ptr [[A]], align 8, {{.*}}!tbaa
  // INLINE: getelementptr i8, ptr @[[CELL]]
  V v;
  sink();
}
