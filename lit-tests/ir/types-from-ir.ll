; Intent: without the AST half, a type comes from std::allocator's mangled name or from
; debug information, and only where clang would spell it the same; never a guess.
; RUN: %opt -load-pass-plugin %irplugin -passes='inmem-tag,inmem-allocations,verify' -S %s | %FileCheck %s
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "x86_64-pc-linux-gnu"

declare ptr @_Znwm(i64)
; CHECK-DAG: c"Foo\00"
; CHECK-DAG: c"ns::Bar\00"
; CHECK-DAG: c"Node *\00"
; CHECK-NOT: c"std::pair
define ptr @_ZNSt15__new_allocatorI3FooE8allocateEmPKv(i64 %n) {
  %p = call ptr @_Znwm(i64 %n)
  ret ptr %p
}
define ptr @_ZNSt15__new_allocatorIP4NodeE8allocateEmPKv(i64 %n) {
  %p = call ptr @_Znwm(i64 %n)
  ret ptr %p
}
define ptr @_ZNSt15__new_allocatorISt4pairIKi3FooEE8allocateEmPKv(i64 %n) {
  %p = call ptr @_Znwm(i64 %n)
  ret ptr %p
}
define ptr @debug() {
  %p = call ptr @_Znwm(i64 8), !heapallocsite !4
  ret ptr %p
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!5}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.cpp", directory: "/")
!2 = !DINamespace(name: "ns", scope: null)
!3 = !DINamespace(name: "v1", scope: !2, exportSymbols: true)
!4 = !DICompositeType(tag: DW_TAG_structure_type, name: "Bar", scope: !3, file: !1, line: 1, size: 64, flags: DIFlagFwdDecl)
!5 = !{i32 2, !"Debug Info Version", i32 3}
