; Intent: every hooked function is replaced by its hook: allocating ones get the site
; as an extra last argument, freeing ones keep theirs; tail marks and results stay.
; RUN: %opt -load-pass-plugin %irplugin -passes='inmem-tag,inmem-allocations,verify' -S %s | %FileCheck %s
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "x86_64-pc-linux-gnu"

declare noalias ptr @malloc(i64) allocsize(0)
declare noalias ptr @calloc(i64, i64) allocsize(0,1)
declare ptr @realloc(ptr, i64) allocsize(1)
declare ptr @reallocarray(ptr, i64, i64)
declare noalias ptr @aligned_alloc(i64, i64)
declare i32 @posix_memalign(ptr, i64, i64)
declare noundef nonnull ptr @_Znwm(i64 noundef) #0
declare ptr @_ZnamRKSt9nothrow_t(i64, ptr) #0
declare ptr @_ZnwmSt11align_val_t(i64, i64) #0
declare void @free(ptr)
declare void @_ZdlPvm(ptr, i64) #0

; CHECK: @__inmem_site.test.0 = internal global {{.*}}, section "inmem_sites", align 8
; CHECK: define ptr @test(
define ptr @test(i64 %n, ptr %p, ptr %nt) {
  ; CHECK: call ptr @__inmem_malloc(i64 %n, ptr @__inmem_site.test.0)
  %a = call ptr @malloc(i64 %n)
  ; CHECK: call ptr @__inmem_calloc(i64 %n, i64 4, ptr @__inmem_site.test.1)
  %b = call ptr @calloc(i64 %n, i64 4)
  ; CHECK: call ptr @__inmem_realloc(ptr{{( allocptr)?}} %p, i64 %n, ptr @__inmem_site.test.2)
  %c = call ptr @realloc(ptr %p, i64 %n)
  ; CHECK: call ptr @__inmem_reallocarray(ptr{{( allocptr)?}} %c, i64 %n, i64 4, ptr @__inmem_site.test.3)
  %d = call ptr @reallocarray(ptr %c, i64 %n, i64 4)
  ; CHECK: call ptr @__inmem_aligned_alloc(i64{{( allocalign)?}} 64, i64 %n, ptr @__inmem_site.test.4)
  %e = call ptr @aligned_alloc(i64 64, i64 %n)
  ; CHECK: call i32 @__inmem_posix_memalign(ptr %p, i64 64, i64 %n, ptr @__inmem_site.test.5)
  %f = call i32 @posix_memalign(ptr %p, i64 64, i64 %n)
  ; CHECK: call noundef nonnull ptr @__inmem__Znwm(i64 noundef 8, ptr @__inmem_site.test.6) [[NEW:#[0-9]+]]
  %g = call noundef nonnull ptr @_Znwm(i64 noundef 8) builtin
  ; CHECK: call ptr @__inmem__ZnamRKSt9nothrow_t(i64 8, ptr %nt, ptr @__inmem_site.test.7)
  %h = call ptr @_ZnamRKSt9nothrow_t(i64 8, ptr %nt) builtin
  ; CHECK: call ptr @__inmem__ZnwmSt11align_val_t(i64 64, i64{{( allocalign)?}} 64, ptr @__inmem_site.test.8)
  %i = call ptr @_ZnwmSt11align_val_t(i64 64, i64 64) builtin
  ; CHECK: call void @__inmem_free(ptr{{( allocptr)?}} %a)
  call void @free(ptr %a)
  ; CHECK: call void @__inmem__ZdlPvm(ptr{{( allocptr)?}} %g, i64 8) [[DELETE:#[0-9]+]]
  call void @_ZdlPvm(ptr %g, i64 8) builtin
  ; CHECK: %z = tail call ptr @__inmem_malloc(i64 3, ptr @__inmem_site.test.9)
  %z = tail call ptr @malloc(i64 3)
  ret ptr %z
}

; CHECK-DAG: declare noalias ptr @__inmem_malloc(i64, ptr)
; CHECK-DAG: declare void @__inmem_free(ptr)
; CHECK-DAG: attributes [[NEW]] = { builtin allockind("alloc,uninitialized") "alloc-family"="_Znwm" }
; CHECK-DAG: attributes [[DELETE]] = { builtin allockind("free") "alloc-family"="_Znwm" }
attributes #0 = { nobuiltin }
