; Intent: a musttail call cannot take another argument, so it becomes one of a function that
; calls the hook with the site; one that frees is replaced all the same.
; RUN: %opt -load-pass-plugin %irplugin -passes='inmem-tag,inmem-allocations,verify' -S %s | %FileCheck %s
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "x86_64-pc-linux-gnu"

declare ptr @malloc(i64)
declare void @free(ptr)
declare ptr @strdup(ptr)

; CHECK-LABEL: define ptr @allocate(
define ptr @allocate(i64 %n) {
  ; CHECK: %p = musttail call ptr @[[JUMP:__inmem_jump[.0-9]*]](i64 %n)
  ; CHECK-NEXT: ret ptr %p
  %p = musttail call ptr @malloc(i64 %n)
  ret ptr %p
}

; CHECK-LABEL: define void @release(
define void @release(ptr %p) {
  ; CHECK: musttail call void @__inmem_free(ptr{{( allocptr)?}} %p)
  ; CHECK-NEXT: ret void
  musttail call void @free(ptr %p)
  ret void
}

; CHECK-LABEL: define ptr @copy(
define ptr @copy(ptr %s) {
  ; CHECK: musttail call ptr @strdup(ptr %s)
  ; CHECK-NEXT: ret ptr
  %p = musttail call ptr @strdup(ptr %s)
  ret ptr %p
}

; CHECK: define internal ptr @[[JUMP]](i64 %0)
; CHECK-NEXT: %[[P:.*]] = tail call {{.*}}ptr @__inmem_malloc(i64 {{.*}}%0, ptr @__inmem_site.allocate.0)
; CHECK-NEXT: ret ptr %[[P]]
