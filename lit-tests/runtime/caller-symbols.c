// Intent: of a caller that was not instrumented a trace has its function and how far behind that function's start the
// call returns.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %clang -O1 -rdynamic %s -o %t.exe -ldl
// RUN: rm -f %t.inmem && env LD_LIBRARY_PATH=%libdir LD_PRELOAD=libinmem_rt.so INMEM_OPTIONS=output=%t.inmem %t.exe > %t.txt
// RUN: %inmem dump %t.inmem >> %t.txt
// RUN: %FileCheck %s < %t.txt
// CHECK: make begins at [[#%#x,START:]]
// CHECK: kind=caller function="make" module=1 offset=[[#%#x,PLACE:]]
// CHECK-SAME: symbol-offset=[[#%#x,PLACE-START]]

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void *volatile Sink;

__attribute__((noinline)) void make(void) {
  Sink = malloc(1000);
  Sink = NULL;
}

int main(void) {
  Dl_info info;
  if (!dladdr((void *)make, &info))
    return 1;
  make();
  printf("make begins at 0x%lx\n", (unsigned long)((char *)make - (char *)info.dli_fbase));
}
