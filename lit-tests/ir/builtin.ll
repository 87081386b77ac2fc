; Intent: only calls that the optimiser may remove without us may be removed with us: an
; explicit ::operator new (not builtin) and -fno-builtin get no allocation attributes.
; RUN: %opt -load-pass-plugin %irplugin -passes='inmem-tag,inmem-allocations,verify' -S %s -o %t.ll
; RUN: %FileCheck %s < %t.ll
; RUN: %opt -passes=instcombine -S %t.ll | %FileCheck --check-prefix=REMOVED %s
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "x86_64-pc-linux-gnu"

declare ptr @_Znwm(i64) nobuiltin allocsize(0)
declare void @_ZdlPvm(ptr, i64) nobuiltin
declare ptr @malloc(i64)
declare void @free(ptr)

; CHECK-LABEL: define void @expression(
; REMOVED-LABEL: define void @expression(
; REMOVED-NEXT: ret void
define void @expression() {
  ; CHECK: call ptr @__inmem__Znwm(i64 8, ptr {{.*}}) [[BUILTIN:#[0-9]+]]
  %p = call ptr @_Znwm(i64 8) builtin
  call void @_ZdlPvm(ptr %p, i64 8) builtin
  ret void
}

; CHECK-LABEL: define void @function(
; REMOVED-LABEL: define void @function(
; REMOVED-NEXT: call {{.*}}ptr @__inmem__Znwm
define void @function() {
  ; CHECK: call ptr @__inmem__Znwm(i64 8, ptr @__inmem_site.function.0){{$}}
  %p = call ptr @_Znwm(i64 8)
  call void @_ZdlPvm(ptr %p, i64 8)
  ret void
}

; CHECK-LABEL: define void @no_builtins(
; REMOVED-LABEL: define void @no_builtins(
; REMOVED-NEXT: call {{.*}}ptr @__inmem_malloc
define void @no_builtins() "no-builtins" {
  %p = call ptr @malloc(i64 8)
  call void @free(ptr %p)
  ret void
}
; CHECK: attributes [[BUILTIN]] = { builtin allockind("alloc,uninitialized")
