; Intent: sites are internal and share their function's comdat; before an LTO link they
; are hidden names instead, with a hash where the function is local to the unit.
; RUN: %opt -load-pass-plugin %irplugin -passes='inmem-tag,inmem-allocations,verify' -S %s | %FileCheck %s
; RUN: %opt -load-pass-plugin %irplugin -passes='inmem-tag,inmem-allocations-lto,verify' -S %s | %FileCheck --check-prefix=LTO %s
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "x86_64-pc-linux-gnu"
$inline = comdat any
declare ptr @malloc(i64)

; CHECK-DAG: @__inmem_site.inline.0 = internal global {{.*}}, section "inmem_sites", comdat($inline), align 8
; CHECK-DAG: @__inmem_site.plain.0 = internal global {{.*}}, section "inmem_sites", align 8
; LTO-DAG: @__inmem_site.inline.0 = hidden global {{.*}}, section "inmem_sites", comdat($inline), align 8
; LTO-DAG: @__inmem_site.plain.0 = hidden global {{.*}}, section "inmem_sites", align 8
; LTO-DAG: @__inmem_site.local.{{[0-9a-f]+}}.0 = hidden global {{.*}}, section "inmem_sites", align 8
define linkonce_odr ptr @inline() comdat {
  %p = call ptr @malloc(i64 1)
  ret ptr %p
}
define ptr @plain() {
  %p = call ptr @malloc(i64 2)
  ret ptr %p
}
define internal ptr @local() {
  %p = call ptr @malloc(i64 3)
  ret ptr %p
}
@keep = global ptr @local
