; Intent: invokes stay invokes with both edges; a retag goes to the normal edge alone,
; on a block of its own where others lead there too.
; RUN: %opt -load-pass-plugin %irplugin -passes='inmem-tag,inmem-allocations,verify' -S %s | %FileCheck %s
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "x86_64-pc-linux-gnu"

declare ptr @_Znwm(i64)
declare ptr @strdup(ptr)
declare i32 @__gxx_personality_v0(...)

; CHECK-LABEL: define ptr @test(
define ptr @test(i1 %c, ptr %s) personality ptr @__gxx_personality_v0 {
entry:
  ; CHECK: %p = invoke ptr @__inmem__Znwm(i64 8, ptr @__inmem_site.test.{{[0-9]}})
  ; CHECK-NEXT: to label %next unwind label %pad
  %p = invoke ptr @_Znwm(i64 8) to label %next unwind label %pad
next:
  br i1 %c, label %copy, label %join
copy:
  ; CHECK: %q = invoke ptr @strdup(ptr %s)
  ; CHECK-NEXT: to label %[[SPLIT:.*]] unwind label %pad
  %q = invoke ptr @strdup(ptr %s) to label %join unwind label %pad
  ; CHECK: [[SPLIT]]:
  ; CHECK-NEXT: call void @__inmem_retag_owned(ptr %q, ptr @__inmem_site.test.{{[0-9]}})
  ; CHECK-NEXT: br label %join
join:
  %r = phi ptr [ %p, %next ], [ %q, %copy ]
  ret ptr %r
pad:
  %l = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %l
}
