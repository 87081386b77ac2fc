; Intent: what must stay as it is: functions of the same name with local linkage or
; another signature, address-taken and indirect uses, functions that opted out.
; RUN: %opt -load-pass-plugin %irplugin -passes='inmem-tag,inmem-allocations,verify' -S %s | %FileCheck %s
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "x86_64-pc-linux-gnu"

@pointer = global ptr @malloc
declare ptr @malloc(i64)
declare ptr @calloc(i32)
declare ptr @strdup(i32)
define internal void @free(ptr %p) {
  ret void
}

; CHECK-NOT: __inmem_
; CHECK: @pointer = global ptr @malloc
; CHECK-LABEL: define void @other(
define void @other(ptr %f) {
  ; CHECK: call ptr @calloc(i32 3)
  %a = call ptr @calloc(i32 3)
  ; CHECK: call void @free(ptr %a)
  call void @free(ptr %a)
  ; CHECK: call ptr %f(i64 3)
  %b = call ptr %f(i64 3)
  ; CHECK: call ptr @strdup(i32 3)
  %c = call ptr @strdup(i32 3)
  ; CHECK: call i32 @malloc(i64 3)
  %d = call i32 @malloc(i64 3)
  ret void
}

; CHECK-LABEL: define ptr @opted_out(
define ptr @opted_out() disable_sanitizer_instrumentation {
  ; CHECK: call ptr @malloc(i64 3)
  %p = call ptr @malloc(i64 3)
  ret ptr %p
}

; CHECK-LABEL: define ptr @bare(
define ptr @bare() naked {
  ; CHECK: call ptr @malloc(i64 3)
  %p = call ptr @malloc(i64 3)
  unreachable
}

; CHECK-LABEL: define available_externally ptr @elsewhere(
define available_externally ptr @elsewhere() {
  ; CHECK: call ptr @malloc(i64 3)
  %p = call ptr @malloc(i64 3)
  ret ptr %p
}
; CHECK-NOT: __inmem_
