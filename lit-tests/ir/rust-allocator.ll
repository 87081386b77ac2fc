; Intent: where Rust's allocator is the standard library's, malloc's hooks are called in its place; the program's start finds out, by either name.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt -load-pass-plugin=%irplugin -passes=inmem-allocations -S %s | %FileCheck %s
; RUN: sed -e s/__rust_alloc_zeroed/_RNvCs1_7___rustc19___rust_alloc_zeroed/ -e s/__rust_alloc\(/_RNvCs1_7___rustc12___rust_alloc\(/ -e s/__rust_realloc/_RNvCs1_7___rustc14___rust_realloc/ %s > %t.ll
; RUN: %opt -load-pass-plugin=%irplugin -passes=inmem-allocations -S %t.ll | %FileCheck --check-prefix=MANGLED %s

; CHECK: @__inmem_rust_allocates_by_malloc = linkonce_odr hidden global i8 0, comdat
; CHECK: @llvm.global_ctors = {{.*}}{ i32 1, ptr @__inmem_rust_init, ptr @__inmem_rust_init }

; The alignment of malloc, and no more than the size: no test but that of the flag.
; CHECK-LABEL: define ptr @eight
; CHECK: load i8, ptr @__inmem_rust_allocates_by_malloc
; CHECK: call ptr @__inmem_malloc(i64 24, ptr @__inmem_site
; CHECK: call void @__inmem_expect(
; CHECK: call ptr @__rust_alloc(i64 24, i64 8)
; CHECK: phi ptr
define ptr @eight() !dbg !5 {
  %p = call ptr @__rust_alloc(i64 24, i64 8), !dbg !7
  ret ptr %p
}

; The standard library asks for alignment here, which malloc may not give.
; CHECK-LABEL: define ptr @small
; CHECK: icmp ule i64 8, %size
; CHECK: br i1
; CHECK: call ptr @__inmem_malloc(i64 %size,
define ptr @small(i64 %size) !dbg !8 {
  %p = call ptr @__rust_alloc(i64 %size, i64 8), !dbg !9
  ret ptr %p
}

; CHECK-LABEL: define ptr @wide
; CHECK: alloca ptr
; CHECK-NOT: @__inmem_malloc(
; CHECK: call i32 @__inmem_posix_memalign(ptr {{.*}}, i64 64, i64 %size, ptr @__inmem_site
; CHECK: call ptr @__rust_alloc(i64 %size, i64 64)
define ptr @wide(i64 %size) !dbg !10 {
  %p = call ptr @__rust_alloc(i64 %size, i64 64), !dbg !11
  ret ptr %p
}

; CHECK-LABEL: define ptr @zeroed
; CHECK: call ptr @__inmem_calloc(i64 1, i64 32, ptr
; CHECK: call ptr @__rust_alloc_zeroed(i64 32, i64 16)
; The library clears what malloc cannot align.
; CHECK-NOT: @__inmem_calloc(
; CHECK: call ptr @__rust_alloc_zeroed(i64 64, i64 64)
define ptr @zeroed() !dbg !12 {
  %p = call ptr @__rust_alloc_zeroed(i64 32, i64 16), !dbg !13
  %q = call ptr @__rust_alloc_zeroed(i64 64, i64 64), !dbg !13
  ret ptr %p
}

; CHECK-LABEL: define ptr @grown
; CHECK: call ptr @__inmem_realloc(ptr %p, i64 %new, ptr
; CHECK: call ptr @__rust_realloc(ptr %p, i64 %old, i64 %align, i64 %new)
; CHECK: call void @__inmem_retag(
define ptr @grown(ptr %p, i64 %old, i64 %align, i64 %new) !dbg !14 {
  %q = call ptr @__rust_realloc(ptr %p, i64 %old, i64 %align, i64 %new), !dbg !15
  ret ptr %q
}

; CHECK: define linkonce_odr hidden void @__inmem_rust_init()
; CHECK: call i8 @__inmem_is_jump(ptr @__rust_alloc, ptr @__rdl_alloc)
; CHECK: declare extern_weak hidden void @__rdl_alloc()

; MANGLED: call i8 @__inmem_is_jump(ptr @_RNvCs1_7___rustc12___rust_alloc, ptr @_RNvCs1_7___rustc11___rdl_alloc)
; MANGLED: declare extern_weak hidden void @_RNvCs1_7___rustc11___rdl_alloc()

declare noalias ptr @__rust_alloc(i64, i64 allocalign) allockind("alloc,uninitialized,aligned") allocsize(0)
declare noalias ptr @__rust_alloc_zeroed(i64, i64 allocalign) allockind("alloc,zeroed,aligned") allocsize(0)
declare noalias ptr @__rust_realloc(ptr allocptr, i64, i64 allocalign, i64) allockind("realloc,aligned") allocsize(3)

!llvm.module.flags = !{!0, !1}
!llvm.dbg.cu = !{!2}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = !{i32 7, !"Dwarf Version", i32 4}
!2 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !3, producer: "clang LLVM (rustc version 1.80.0)", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug)
!3 = !DIFile(filename: "blocks.rs", directory: "/src")
!4 = !DISubroutineType(types: !{})
!5 = distinct !DISubprogram(name: "eight", scope: !3, file: !3, line: 1, type: !4, unit: !2, spFlags: DISPFlagDefinition)
!7 = !DILocation(line: 2, scope: !5)
!8 = distinct !DISubprogram(name: "small", scope: !3, file: !3, line: 3, type: !4, unit: !2, spFlags: DISPFlagDefinition)
!9 = !DILocation(line: 4, scope: !8)
!10 = distinct !DISubprogram(name: "wide", scope: !3, file: !3, line: 5, type: !4, unit: !2, spFlags: DISPFlagDefinition)
!11 = !DILocation(line: 6, scope: !10)
!12 = distinct !DISubprogram(name: "zeroed", scope: !3, file: !3, line: 7, type: !4, unit: !2, spFlags: DISPFlagDefinition)
!13 = !DILocation(line: 8, scope: !12)
!14 = distinct !DISubprogram(name: "grown", scope: !3, file: !3, line: 9, type: !4, unit: !2, spFlags: DISPFlagDefinition)
!15 = !DILocation(line: 10, scope: !14)
