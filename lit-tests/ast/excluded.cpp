// Intent: functions that ask for no instrumentation get none, inlined or not.
// RUN: %clangxx -O0 -fplugin=%plugin -S -emit-llvm %s -o - | %FileCheck %s
// RUN: %clangxx -O2 -fplugin=%plugin -S -emit-llvm %s -o - | %FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
struct V { V(); };
void sink(void *);
// CHECK-NOT: __inmem_malloc
// CHECK-NOT: __inmem_c.
__attribute__((no_instrument_function)) static void *quiet() { V v; sink(&v); return malloc(3); }
__attribute__((disable_sanitizer_instrumentation)) void *silent() { V v; sink(&v); return malloc(4); }
__attribute__((no_instrument_function)) void test() { sink(quiet()); }
