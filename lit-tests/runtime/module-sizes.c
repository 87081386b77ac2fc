// Intent: a module of a plugin that knew no string copies says so by its size, and nothing behind its last member is read;
// one that knows them has them in the trace.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang %s -o %t && env INMEM_OPTIONS=output=%t.inmem %t
// RUN: %inmem dump %t.inmem | %FileCheck %s
#include "inmem/abi.h"

static const struct inmem_string_copy Old[] = {{.line = 1, .flags = INMEM_COPY_VIEW}};
static const struct inmem_string_copy New[] = {{.line = 2, .kind = INMEM_COPY_ARGUMENT, .key = 7},
                                               {.line = 3, .flags = INMEM_COPY_VIEW | INMEM_COPY_ALONE}};
static struct inmem_module Modules[] = {
    {.abi_version = INMEM_ABI_VERSION, .copies_begin = Old, .copies_end = Old + 1},
    {.abi_version = INMEM_ABI_VERSION, .bytes = sizeof(struct inmem_module), .copies_begin = New, .copies_end = New + 2},
};

int main(void) {
  for (int I = 0; I < 2; ++I)
    __inmem_register_module(&Modules[I]);
}
// CHECK-NOT: string-copy
// CHECK: string-copy kind=argument key=0x7 line=2
// CHECK-NEXT: string-copy kind=variable flags=view,alone line=3
// CHECK-NOT: string-copy
