; Intent: a wrapper is seen through null checks, local variables and other wrappers, but
; not where it returns the inside of a block, an argument, or something it kept.
; RUN: %opt -load-pass-plugin %irplugin -passes='inmem-tag,inmem-allocations,verify' -S %s | %FileCheck %s
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "x86_64-pc-linux-gnu"

; Without types at the calls nothing is retagged; this checks that the search itself
; copes with every shape (phi cycles, recursion, missing returns).
declare ptr @malloc(i64)
declare void @exit(i32)

; CHECK-NOT: __inmem_retag
define ptr @loop(i64 %n) {
entry:
  br label %retry
retry:
  %old = phi ptr [ null, %entry ], [ %p, %retry ]
  %p = call ptr @malloc(i64 %n)
  %bad = icmp eq ptr %p, null
  br i1 %bad, label %retry, label %done
done:
  %r = phi ptr [ %p, %retry ]
  ret ptr %r
}
define ptr @recursive(i64 %n) {
  %p = call ptr @recursive(i64 %n)
  ret ptr %p
}
define ptr @never(i64 %n) {
  call void @exit(i32 1)
  unreachable
}
define ptr @memory(i64 %n) {
  %slot = alloca ptr
  %p = call ptr @malloc(i64 %n)
  store ptr %p, ptr %slot
  store ptr %slot, ptr %p
  %q = load ptr, ptr %slot
  ret ptr %q
}
; CHECK: call ptr @loop(i64 1)
define ptr @caller() {
  %p = call ptr @loop(i64 1)
  ret ptr %p
}
