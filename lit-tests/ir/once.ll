; Intent: a module that went through the passes is left alone by a second round, so that
; -fplugin and -fpass-plugin together, or fat LTO, instrument once.
; RUN: %opt -load-pass-plugin %irplugin -passes='inmem-tag,inmem-allocations,inmem-tag,inmem-allocations,verify' -S %s -o %t.1.ll
; RUN: %FileCheck %s < %t.1.ll
; RUN: %opt -load-pass-plugin %irplugin -passes='inmem-tag,inmem-allocations,verify' -S %t.1.ll -o %t.2.ll
; RUN: %FileCheck %s < %t.2.ll
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "x86_64-pc-linux-gnu"

declare ptr @malloc(i64)
declare ptr @strdup(ptr)

; CHECK: define ptr @test(
define ptr @test() {
  ; CHECK: call ptr @__inmem_malloc(i64 3, ptr @__inmem_site.test.
  ; CHECK-NEXT: call ptr @strdup
  ; CHECK-NEXT: call void @__inmem_retag
  ; CHECK-NEXT: ret ptr
  %p = call ptr @malloc(i64 3)
  %q = call ptr @strdup(ptr %p)
  ret ptr %q
}
; CHECK: define linkonce_odr hidden void @__inmem_dso_init()
; CHECK-NOT: define {{.*}}@__inmem_dso_init
