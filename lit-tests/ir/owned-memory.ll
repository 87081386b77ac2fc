; Intent: a block that is stored through an argument is read after the call, where the
; result says that there is one.
; RUN: %opt -load-pass-plugin %irplugin -passes='inmem-tag,inmem-allocations,verify' -S %s | %FileCheck %s
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "x86_64-pc-linux-gnu"

declare i32 @asprintf(ptr, ptr, ...)
declare i64 @getline(ptr, ptr, ptr)
declare ptr @getcwd(ptr, i64)
declare noalias ptr @custom(i64) allocsize(0)

; CHECK-LABEL: define void @test(
define void @test(ptr %out, ptr %format, ptr %size, ptr %file, i64 %n) {
  ; CHECK: %a = call i32 (ptr, ptr, ...) @asprintf(ptr %out, ptr %format)
  ; CHECK-NEXT: [[P:%.*]] = load ptr, ptr %out
  ; CHECK-NEXT: [[OK:%.*]] = icmp sge i32 %a, 0
  ; CHECK-NEXT: [[Q:%.*]] = select i1 [[OK]], ptr [[P]], ptr null
  ; CHECK-NEXT: call void @__inmem_retag_owned(ptr [[Q]], ptr @__inmem_site.test.
  %a = call i32 (ptr, ptr, ...) @asprintf(ptr %out, ptr %format)
  ; CHECK: %b = call i64 @getline(ptr %out, ptr %size, ptr %file)
  ; CHECK-NEXT: [[L:%.*]] = load ptr, ptr %out
  ; CHECK-NEXT: call void @__inmem_retag_owned(ptr [[L]], ptr @__inmem_site.test.
  %b = call i64 @getline(ptr %out, ptr %size, ptr %file)
  ; CHECK: %c = call ptr @getcwd(ptr null, i64 0)
  ; CHECK-NEXT: call void @__inmem_retag_owned(ptr %c, ptr @__inmem_site.test.
  %c = call ptr @getcwd(ptr null, i64 0)
  ; CHECK: %d = call ptr @getcwd(ptr %out, i64 9)
  ; CHECK-NEXT: %e = call ptr @custom(i64 %n)
  %d = call ptr @getcwd(ptr %out, i64 9)
  ; CHECK-NEXT: call void @__inmem_retag(ptr %e, ptr @__inmem_site.test.
  %e = call ptr @custom(i64 %n)
  ret void
}
