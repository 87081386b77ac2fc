; Intent: one constructor a shared object, early, in a comdat; it hands over the bounds of
; the sections and refers to the runtime's version symbol. -fPIC code has the table form.
; RUN: %split-file %s %t
; RUN: %opt -load-pass-plugin %irplugin -passes='inmem-tag,inmem-allocations,verify' -S %t/exe.ll | %FileCheck --check-prefixes=CHECK,EXE %s
; RUN: %opt -load-pass-plugin %irplugin -passes='inmem-tag,inmem-allocations,verify' -S %t/pic.ll | %FileCheck --check-prefixes=CHECK,PIC %s
; RUN: %opt -load-pass-plugin %irplugin -passes='inmem-tag,inmem-allocations,verify' -S %t/none.ll | %FileCheck --check-prefix=NONE %s
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; CHECK-DAG: @__start_inmem_sites = extern_weak hidden global i8
; CHECK-DAG: @__stop_inmem_types = extern_weak hidden global i8
; CHECK-DAG: @__inmem_abi_v1_link_with_libinmem_rt = external global i8
; EXE-DAG: @__inmem_module = linkonce_odr hidden global { {{.*}} } { i32 1, i32 168, ptr @__start_inmem_types, {{.*}}, comdat($__inmem_dso_init), align 8
; EXE-DAG: @__inmem_delta = linkonce_odr hidden thread_local(localexec) global i64 0, comdat, align 8
; EXE-DAG: @llvm.global_ctors = appending global {{.*}} { i32 1, ptr @__inmem_dso_init, ptr @__inmem_dso_init }
; PIC-DAG: @__inmem_module_pic = linkonce_odr hidden global
; PIC-DAG: @__inmem_table_index = linkonce_odr hidden global i32 0, comdat
; PIC-DAG: @llvm.global_ctors = appending global {{.*}} { i32 1, ptr @__inmem_dso_init_pic, ptr @__inmem_dso_init_pic }
; CHECK: define linkonce_odr hidden void @__inmem_dso_init
; CHECK: store volatile ptr @__inmem_abi_v1_link_with_libinmem_rt
; CHECK: call void @__inmem_register_module(ptr @__inmem_module
; CHECK: define linkonce_odr hidden void @__inmem_dso_fini
; CHECK: call void @__inmem_unregister_module(ptr @__inmem_module
; NONE-NOT: __inmem_

;--- exe.ll
target triple = "x86_64-pc-linux-gnu"
declare ptr @malloc(i64)
define ptr @test() {
  %p = call ptr @malloc(i64 3)
  ret ptr %p
}
!llvm.module.flags = !{!0, !1}
!0 = !{i32 8, !"PIC Level", i32 2}
!1 = !{i32 7, !"PIE Level", i32 2}
;--- pic.ll
target triple = "x86_64-pc-linux-gnu"
declare ptr @malloc(i64)
define ptr @test() {
  %p = call ptr @malloc(i64 3)
  ret ptr %p
}
!llvm.module.flags = !{!0}
!0 = !{i32 8, !"PIC Level", i32 2}
;--- none.ll
target triple = "x86_64-pc-linux-gnu"
declare ptr @elsewhere(i64)
define ptr @test() {
  %p = call ptr @elsewhere(i64 3)
  ret ptr %p
}
