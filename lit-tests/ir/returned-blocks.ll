; Intent: a function that makes a block of unknown type, and may make others before it returns that block,
; names it in __inmem_returned; one that makes no others, knows the type, or returns something else does not.
; RUN: %opt -load-pass-plugin %irplugin -passes='inmem-tag,inmem-allocations,verify' -S %s -o - | %FileCheck %s
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "x86_64-pc-linux-gnu"

declare ptr @malloc(i64)
declare ptr @strdup(ptr)
declare void @keep(ptr)
declare ptr @memset(ptr, i32, i64)

; CHECK-LABEL: define ptr @kept(
; CHECK: %[[P:.*]] = call ptr @__inmem_malloc(
; CHECK: icmp eq ptr %[[P]], %
; CHECK: store volatile ptr %[[P]], ptr %{{.*}}, !nosanitize
; CHECK: ret ptr %[[P]]
define ptr @kept(i64 %n) {
  %p = call ptr @malloc(i64 %n)
  call void @keep(ptr %p)
  ret ptr %p
}

; CHECK-LABEL: define ptr @through_memory(
; CHECK: call ptr @__inmem_malloc(
; CHECK: call void @keep(
; CHECK: %[[R:.*]] = load ptr
; CHECK: store volatile ptr %[[R]]
define ptr @through_memory(i64 %n, ptr %item) {
  %p = call ptr @malloc(i64 %n)
  store ptr %p, ptr %item
  call void @keep(ptr %p)
  %r = load ptr, ptr %item
  ret ptr %r
}

; CHECK-LABEL: define ptr @no_others(
; CHECK-NOT: store volatile
; CHECK: ret ptr
define ptr @no_others(i64 %n) {
  call void @keep(ptr null)
  %p = call ptr @malloc(i64 %n)
  %q = call ptr @memset(ptr %p, i32 0, i64 %n)
  ret ptr %p
}

; CHECK-LABEL: define ptr @typed(
; CHECK-NOT: store volatile
; CHECK: ret ptr
define ptr @typed(i64 %n) {
  %p = call ptr @malloc(i64 %n) "inmem-type"="_ZTS3Foo" "inmem-site"="3,0,2,0,4"
  call void @keep(ptr %p)
  ret ptr %p
}

; CHECK-LABEL: define ptr @something_else(
; CHECK-NOT: store volatile
; CHECK: ret ptr
define ptr @something_else(ptr %given) {
  %p = call ptr @malloc(i64 3)
  call void @keep(ptr %p)
  %q = call ptr @strdup(ptr %given)
  ret ptr %q
}

; CHECK-LABEL: define ptr @caught(
; CHECK: store volatile ptr
; CHECK: ret ptr
define ptr @caught(i64 %n) personality ptr null {
  %p = call ptr @malloc(i64 %n)
  invoke void @keep(ptr %p) to label %done unwind label %bad
done:
  ret ptr %p
bad:
  %e = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %e
}
