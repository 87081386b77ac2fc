; Intent: a hooked call keeps its metadata; its site tells whether an exception may leave it, and whether an allocator
; makes it: kind 9 (else 1, new), flags 8 or 0.
; RUN: %opt -load-pass-plugin %irplugin -passes='inmem-tag,inmem-allocations,verify' -S %s | %FileCheck %s
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "x86_64-pc-linux-gnu"
declare ptr @_Znwm(i64)
; CHECK-DAG: @__inmem_site.throws.0 = {{.*}}, i16 0, i8 1, i8 0, i32 0, i16 0, i8 0, i8 8, i64
; CHECK-DAG: @__inmem_site.silent.0 = {{.*}}, i16 0, i8 1, i8 0, i32 0, i16 0, i8 0, i8 0, i64
; CHECK-DAG: @__inmem_site._ZNSt15__new_allocatorI3FooE8allocateEmPKv.0 = {{.*}}, i16 0, i8 9, i8 0, i32 0, i16 0, i8 6, i8 8, i64
; CHECK: call ptr @__inmem__Znwm(i64 8, ptr @__inmem_site.throws.0){{.*}}, !kept !
define ptr @throws() {
  %p = call ptr @_Znwm(i64 8), !kept !0
  ret ptr %p
}
define ptr @silent() {
  %p = call ptr @_Znwm(i64 8) nounwind
  ret ptr %p
}
define ptr @_ZNSt15__new_allocatorI3FooE8allocateEmPKv(i64 %n) {
  %p = call ptr @_Znwm(i64 %n)
  ret ptr %p
}
!0 = !{}
